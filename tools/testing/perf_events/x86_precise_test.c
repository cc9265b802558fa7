// SPDX-License-Identifier: GPL-2.0
/*
 * Precise events (PEBS).
 */
#include "x86_events.h"

/*
 * Before kexec another kernel may have enabled PEBS, and the record of the next overflow is written
 * to the address in the debug store area. So PEBS is disabled before the address of the area is
 * cleared, also on a CPU whose precise events the driver does not support.
 */
static bool left_enabled(const struct x86_model *of)
{
	row = of;
	start_machine(&with_control, 1, 4000);
	x86_precise_probe(&core);
	bts_exists = true;
	machine.pebs_enable = 1;
	machine.ds_area = 0x1000;
	x86_ds_reset(&x86_pmu_cpu);
	return !machine.pebs_enable && !machine.ds_area && !machine.astray && !harness_warned;
}

int main(void)
{
	ktap_plan(2);
	ktap_result(left_enabled(&model), "left_enabled");
	ktap_result(left_enabled(&thread_model), "left_enabled_without_precise_events");
	return ktap_end();
}
