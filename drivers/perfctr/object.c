// SPDX-License-Identifier: GPL-2.0
/* Virtual performance counters: objects, and the reservation of the hardware. */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/init.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "virtual.h"

/* Objects reserve the hardware. The reservation ends this long after the last object. */
#define VPERFCTR_IDLE	HZ

static const char vperfctr_service[] = "drivers/perfctr/virtual";

DEFINE_STATIC_KEY_FALSE(vperfctr_used);

static bool vperfctr_available __ro_after_init;
static DEFINE_MUTEX(vperfctr_mutex);		/* vperfctr_reserved */
static bool vperfctr_reserved;
static atomic_t vperfctr_objects;

/*
 * A cache of one zeroed page per CPU for the next object's state, charged to no cgroup.
 * Zeroing a page takes longer than the rest of creating an object.
 */
static DEFINE_PER_CPU(struct perfctr_cpu_state *, vperfctr_spare);

static struct perfctr_cpu_state *vperfctr_new_state(void)
{
	struct perfctr_cpu_state *state = this_cpu_xchg(vperfctr_spare, NULL);

	if (!state)
		return (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!memcg_kmem_charge_page(virt_to_page(state), GFP_KERNEL_ACCOUNT, 0))
		return state;
	free_page((unsigned long)state);
	return NULL;
}

static void vperfctr_free_state(struct perfctr_cpu_state *state)
{
	/* A program may hold a reference to the page through a pinned mapping: do not reuse it. */
	if (page_count(virt_to_page(state)) > 1) {
		free_page((unsigned long)state);
		return;
	}
	memcg_kmem_uncharge_page(virt_to_page(state), 0);
	memset(state, 0, sizeof(*state));
	if (this_cpu_cmpxchg(vperfctr_spare, NULL, state))
		free_page((unsigned long)state);
}

static void vperfctr_free_spares(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		free_page((unsigned long)xchg(per_cpu_ptr(&vperfctr_spare, cpu), NULL));
}

static void vperfctr_idle(struct work_struct *work)
{
	guard(mutex)(&vperfctr_mutex);
	if (atomic_read(&vperfctr_objects) || !vperfctr_reserved)
		return;
	static_branch_disable(&vperfctr_used);
	perfctr_cpu_release(vperfctr_service);
	vperfctr_free_spares();
	vperfctr_reserved = false;
}

static DECLARE_DELAYED_WORK(vperfctr_idle_work, vperfctr_idle);

/**
 * vperfctr_use_hardware - reserve the hardware for one more object
 *
 * Context: may sleep.
 * Return: 0 on success, -ENODEV if there is no counter or clock, -EBUSY if another driver has
 * reserved the hardware
 */
int vperfctr_use_hardware(void)
{
	const char *other;

	if (!vperfctr_available)
		return -ENODEV;
	if (atomic_inc_not_zero(&vperfctr_objects))
		return 0;
	guard(mutex)(&vperfctr_mutex);
	if (!vperfctr_reserved) {
		other = perfctr_cpu_reserve(vperfctr_service);
		if (other) {
			pr_info_ratelimited("perfctr: the counters are in use by %s\n", other);
			return -EBUSY;
		}
		perfctr_cpu_set_ihandler(vperfctr_overflow_handler);
		static_branch_enable(&vperfctr_used);
		vperfctr_reserved = true;
	}
	atomic_inc(&vperfctr_objects);
	return 0;
}

/**
 * vperfctr_unuse_hardware - undo vperfctr_use_hardware() for one object
 *
 * Context: any but NMI.
 */
void vperfctr_unuse_hardware(void)
{
	if (atomic_dec_and_test(&vperfctr_objects))
		schedule_delayed_work(&vperfctr_idle_work, VPERFCTR_IDLE);
}

/*
 * A cache of objects. vperfctr::label is large, and remains initialised in the cache:
 * security_perf_event_free() leaves it as it was before security_perf_event_alloc().
 */
static struct kmem_cache *vperfctr_cache __ro_after_init;

/* Size of the fields before the label */
#ifdef CONFIG_SECURITY
#define VPERFCTR_FIELDS	offsetof(struct vperfctr, label)
#else
#define VPERFCTR_FIELDS	sizeof(struct vperfctr)
#endif

static void vperfctr_construct(void *object)
{
	struct vperfctr *vp = object;

	memset(vp, 0, sizeof(*vp));
#ifdef CONFIG_SECURITY
	vp->label.attr.type = PERF_TYPE_RAW;
	vp->label.attr.size = sizeof(vp->label.attr);
	vp->label.cpu = -1;
#endif
}

/* Return an object from the cache, with all fields except the label zeroed, or NULL. */
static struct vperfctr *vperfctr_new_object(void)
{
	struct vperfctr *vp = kmem_cache_alloc(vperfctr_cache, GFP_KERNEL);

	if (vp)
		memset(vp, 0, VPERFCTR_FIELDS);
	return vp;
}

/**
 * vperfctr_alloc - create an object without an owner
 *
 * The caller must have called vperfctr_use_hardware(); vperfctr_put() undoes that call with the
 * last reference.
 *
 * Context: may sleep.
 * Return: the object with one reference, -ENOMEM, or an error of a security module
 */
struct vperfctr *vperfctr_alloc(void)
{
	struct vperfctr *vp = vperfctr_new_object();
	int err;

	BUILD_BUG_ON(sizeof(*vp->state) > PAGE_SIZE);
	if (!vp)
		return ERR_PTR(-ENOMEM);
	err = security_perf_event_alloc(vperfctr_label(vp));
	if (err)
		goto free;
	err = -ENOMEM;
	vp->state = vperfctr_new_state();
	if (!vp->state)
		goto free_label;
	refcount_set(&vp->refs, 1);
	spin_lock_init(&vp->lock);
	return vp;

free_label:
	security_perf_event_free(vperfctr_label(vp));
free:
	kmem_cache_free(vperfctr_cache, vp);
	return ERR_PTR(err);
}

/**
 * vperfctr_get - take a reference to an object
 * @vp: the caller has a reference to it
 */
void vperfctr_get(struct vperfctr *vp)
{
	refcount_inc(&vp->refs);
}

/**
 * vperfctr_put - drop a reference to an object
 * @vp: freed with its last reference
 *
 * Context: any but NMI.
 */
void vperfctr_put(struct vperfctr *vp)
{
	if (!refcount_dec_and_test(&vp->refs))
		return;
	WARN_ON_ONCE(vp->running || rcu_access_pointer(vp->owner));
	/* RCU readers without a reference do not access the state or the label. */
	vperfctr_free_state(vp->state);
	security_perf_event_free(vperfctr_label(vp));
	kfree_rcu(vp, rcu);
	vperfctr_unuse_hardware();
}

static int __init vperfctr_init(void)
{
	int err = perfctr_cpu_init();

	if (err) {
		pr_info("perfctr: no counters\n");
		return 0;
	}
	err = -ENOMEM;
	vperfctr_cache = kmem_cache_create("vperfctr", sizeof(struct vperfctr), 0, SLAB_ACCOUNT,
					   vperfctr_construct);
	if (vperfctr_cache)
		err = vperfctr_init_fs();
	if (err) {
		kmem_cache_destroy(vperfctr_cache);
		perfctr_cpu_exit();
		return err;
	}
	vperfctr_init_thread();
	vperfctr_available = true;
	pr_info("perfctr: virtual counters on %s\n", perfctr_cpu_name);
	return 0;
}
device_initcall(vperfctr_init);
