// SPDX-License-Identifier: GPL-2.0
/*
 * Cost of perfctr, as "name,value,limit" lines, if the kernel has perfctr with counters.
 */
#include "paths/lib.h"
#include <linux/perfctr.h>

static int fd;
static const volatile struct vperfctr_state *page;

/* A control of N instruction counters in user mode; @other: of another event. */
static struct vperfctr_control counters(int n, int other)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1, .cpu_control.nractrs = n };

	for (int i = 0; i < n; i++) {
		control.cpu_control.pmc_map[i] = i;
		control.cpu_control.evntsel[i] = (other ? 0xc4 : 0xc0) | 1 << 16 | 1 << 22;
	}
	return control;
}

static int begin(int n, int other)
{
	struct vperfctr_control control = counters(n, other);

	fd = syscall(__NR_vperfctr_open, 0, 1);
	return fd < 0 ? -1 : syscall(__NR_vperfctr_control, fd, &control);
}

static void end(void)
{
	syscall(__NR_vperfctr_unlink, fd);
	close(fd);
}

static int other_event;

/* The other task has an object, by inheritance. */
static void begin_other(void)
{
	struct vperfctr_control control = counters(4, other_event);

	if (syscall(__NR_vperfctr_control, syscall(__NR_vperfctr_open, 0, 0), &control))
		exit(1);
}

static void end_other(void)
{
	if (syscall(__NR_vperfctr_unlink, syscall(__NR_vperfctr_open, 0, 0)))
		exit(1);
}

static void row(const char *name, int ok, double value, int limit)
{
	if (!ok)
		value = 0;
	printf("%s,%.0f,", name, value);
	if (limit >= 0)
		printf("%d", limit);
	puts("");
	fflush(stdout);
}

/* Threads without counters, while another one has some */
static void switches_of_others(double plain)
{
	pid_t child;
	int go[2];
	char c;

	if (pipe(go))
		exit(1);
	child = fork();
	if (!child) {
		close(go[1]);
		begin(4, 0);
		(void)!read(go[0], &c, 1);
		_exit(0);
	}
	close(go[0]);
	/* The other task has its counters, and sleeps. */
	usleep(10000);
	row("switch: threads that have none (another has some)", 1,
	    (switch_cost(NULL, &(int){ 0 }) - plain) / 2, 2);
	close(go[1]);
	waitpid(child, NULL, 0);
	/* Wait until no task has counters. */
	wait_for_hooks();
}

static void switches(void)
{
	double plain, value;
	int ok;

	plain = switch_cost(NULL, &ok);
	switches_of_others(plain);
	for (other_event = 0; other_event < 2; other_event++) {
		other_task = begin_other;
		ok = !begin(4, 0);
		/* The other task first has the inherited control, and then a control of its own. */
		if (ok && !other_event)
			other_task = NULL;
		value = switch_cost(NULL, &(int){ 0 });
		row(other_event ? "switch: 4 counters of other events" :
		    "switch: 4 counters of the same control", ok, (value - plain) / 2,
		    other_event ? -1 : 600);
		end();
	}
	other_task = NULL;
	ok = !begin(4, 0);
	other_task = end_other;
	value = switch_cost(NULL, &(int){ 0 });
	other_task = NULL;
	row("switch: 4 counters of one of the two", ok, (value - plain) / 2, -1);
	end();
}

static void read_page(void)
{
	unsigned int tsc, map, now, start, high;
	unsigned long long sum;

	do {
		tsc = page->cpu_state.tsc_start;
		map = page->cpu_state.pmc[0].map;
		__asm__ volatile("rdpmc" : "=a" (now), "=d" (high) : "c" (map));
		start = page->cpu_state.pmc[0].start;
		sum = page->cpu_state.pmc[0].sum;
	} while (tsc != page->cpu_state.tsc_start);
	sum += now - start;
	__asm__ volatile("" : : "r" (sum));
}

static void read_call(void)
{
	struct perfctr_sum_ctrs sums;

	if (syscall(__NR_vperfctr_read, fd, &sums, NULL, NULL))
		exit(1);
}

static void control_call(void)
{
	struct vperfctr_control control = counters(4, 0);

	if (syscall(__NR_vperfctr_control, fd, &control))
		exit(1);
}

static void open_to_unlink(void)
{
	if (begin(4, 0))
		exit(1);
	end();
}

int main(void)
{
	struct perfctr_info info;

	if (syscall(__NR_perfctr_info, &info, NULL, NULL) ||
	    !(info.cpu_features & PERFCTR_FEATURE_RDPMC)) {
		fputs("no counters of threads\n", stderr);
		return 1;
	}
	switches();
	if (begin(4, 0))
		return 1;
	page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return 1;
	read_page();
	row("read by the page", 1, cost(read_page, 500, 1), 30);
	row("read call: 4 counters", 1, cost(read_call, 200, 1), 600);
	row("control call: 4 counters", 1, cost(control_call, 200, 1), -1);
	end();
	row("open + control + unlink + close", 1, cost(open_to_unlink, 200, 1), 6000);
	return 0;
}
