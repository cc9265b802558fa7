/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of the program secret: the counters of a process, and the values that the
 * process can read.
 */
#ifndef _SELFTESTS_PERFCTR_SECRET_H
#define _SELFTESTS_PERFCTR_SECRET_H

#include "beside.h"

#define MAX_OWN		12
#define MAX_GENERAL	8
#define MAX_FIXED	4
#define NR_USUAL	3

/**
 * struct pipes - two pipes, for orders to a process and for its answers
 * @order: pipe of orders
 * @answer: pipe of answers
 */
struct pipes {
	int	order[2];
	int	answer[2];
};

/**
 * struct own - the counters of this process
 * @nr: number of events
 * @event: its events
 * @object: its perfctr object; -1: none
 */
struct own {
	int	nr;
	int	event[MAX_OWN];
	int	object;
};

/**
 * struct shared - memory of all processes of a test
 * @cpu: CPU on which victim and attacker run
 * @other_cpu: another CPU with the same PMU; -1: there is none
 * @type: type of the PMU's raw events
 * @extended: type of the PMU for PERF_TYPE_HARDWARE; 0: the only PMU
 * @samples: root's events sample, so that their counters have the distance to the next sample
 * @limit: more than counters can have counted for the attacker
 * @counted: highest count of the secret
 * @had: the attacker had a counter
 * @reads: number of counters that were read by RDPMC
 * @highest: highest value that the attacker saw
 * @leak: description of the first value that reveals the secret; empty: there is none
 * @skip: why this way does not exist here; empty: it does
 * @line: line of a step that failed; 0: none
 * @helper: pipes of the attacker's second process
 * @has_helper: there is such a process
 * @attacker: pipes of the attacker
 * @own: the attacker's counters, for a program that it executes
 */
struct shared {
	int		cpu;
	int		other_cpu;
	unsigned int	type;
	unsigned int	extended;
	bool		samples;
	__u64		limit;
	__u64		counted;
	int		had;
	unsigned int	reads;
	__u64		highest;
	char		leak[100];
	char		skip[60];
	int		line;
	struct pipes	helper;
	int		has_helper;
	struct pipes	attacker;
	struct own	own;
};

extern struct shared *shared;
extern struct own own;
extern bool owner;

void must(bool holds, int line);
void cannot(const char *why);
#define MUST(holds) must(holds, __LINE__)

void catch_faults(void);
void look(void);

struct perf_event_attr hardware(unsigned int config);
struct perf_event_attr usual_event(unsigned int i);
bool add_event(struct perf_event_attr *attr, int leader);
void add_usual_events(bool inherit, bool pinned);
void add_events(void);
void add_victim_events(void);
void watch_cpu(void);
void map_events(void);
void unmap_events(void);
void close_events(void);
__u64 find_limit(bool kernel);
void control_events(unsigned int request);

void open_object(void);
void map_object(void);
void unmap_object(void);
bool has_mapped_object(void);
void claim(unsigned int first, bool interrupts);
void claim_none(void);

#endif
