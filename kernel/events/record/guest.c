// SPDX-License-Identifier: GPL-2.0
/*
 * State of guests, for samples that are taken while a guest runs. While no hypervisor is
 * registered, the static calls return 0 and cost nearly nothing.
 */
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>

/* Not NULL while a hypervisor is registered; never dereferenced */
struct perf_guest_info_callbacks __rcu *perf_guest_cbs;

DEFINE_STATIC_CALL_RET0(__perf_guest_state, *perf_guest_cbs->state);
DEFINE_STATIC_CALL_RET0(__perf_guest_get_ip, *perf_guest_cbs->get_ip);
DEFINE_STATIC_CALL_RET0(__perf_guest_handle_intel_pt_intr,
			*perf_guest_cbs->handle_intel_pt_intr);

/* Set a static call to a callback, or to return 0 if the callback is NULL. */
#define aim_call(name, func)						\
	static_call_update(name, (func) ?: (void *)&__static_call_return0)

static void perf_guest_aim_calls(const struct perf_guest_info_callbacks *cbs)
{
	aim_call(__perf_guest_state, cbs->state);
	aim_call(__perf_guest_get_ip, cbs->get_ip);
	/* NULL on CPUs without Intel PT. */
	aim_call(__perf_guest_handle_intel_pt_intr, cbs->handle_intel_pt_intr);
}

/**
 * perf_register_guest_info_callbacks - register a hypervisor
 * @cbs: its callbacks, valid until they are unregistered
 *
 * Only one hypervisor can be registered at a time.
 *
 * Context: may sleep.
 */
void perf_register_guest_info_callbacks(struct perf_guest_info_callbacks *cbs)
{
	struct perf_guest_info_callbacks *other;

	other = unrcu_pointer(cmpxchg(&perf_guest_cbs, NULL, RCU_INITIALIZER(cbs)));
	if (!WARN_ON_ONCE(other))
		perf_guest_aim_calls(cbs);
}
EXPORT_SYMBOL_GPL(perf_register_guest_info_callbacks);

/**
 * perf_unregister_guest_info_callbacks - unregister a hypervisor
 * @cbs: the registered callbacks
 *
 * No callback runs after this returns.
 *
 * Context: may sleep.
 */
void perf_unregister_guest_info_callbacks(struct perf_guest_info_callbacks *cbs)
{
	static const struct perf_guest_info_callbacks nobody;

	if (WARN_ON_ONCE(cbs != rcu_access_pointer(perf_guest_cbs)))
		return;
	perf_guest_aim_calls(&nobody);
	/* NMIs use the static calls with preemption off: wait for them. */
	synchronize_rcu();
	RCU_INIT_POINTER(perf_guest_cbs, NULL);
}
EXPORT_SYMBOL_GPL(perf_unregister_guest_info_callbacks);
