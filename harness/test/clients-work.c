// SPDX-License-Identifier: GPL-2.0
/*
 * Workload for the tools of harness/test/clients: a known number of known operations
 *
 *	work WHAT N
 *
 * Built without optimisation, with debug information, at fixed addresses.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Used by tracers. Not in .bss, which the kernel clears at exec. */
unsigned long watched = 1, others[8];
int sum;

/* Emulated CPUs report a second access only after an access to another address. */
static void look_away(void)
{
	others[0]++;
}

__attribute__((noipa)) int probed(int x)
{
	sum += x;
	return x * 2;
}

static void calls(int n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void functions(int n)
{
	int i;

	for (i = 0; i < n; i++)
		probed(i);
}

__attribute__((noipa)) void put(unsigned long value)
{
	watched = value;
}

static void writes(int n)
{
	int i;

	for (i = 1; i <= n; i++) {
		put(100 + i);
		look_away();
	}
}

static void reads(int n)
{
	unsigned long value;

	while (n--) {
		value = watched;
		look_away();
	}
	(void)value;
}

static void faults(int n)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	for (i = 0; i < n; i++)
		p[i * page] = 1;
	munmap(p, n * page);
}

static void files(int n)
{
	while (n--)
		close(open("/dev/null", O_RDONLY));
}

__attribute__((noipa)) void hot(int n)
{
	int i;

	for (i = 0; i < n * 1000; i++)
		;
}

/* Two threads that wake each other up */
static int to[2], from[2];

static void *echo(void *unused)
{
	char c;

	while (read(to[0], &c, 1) == 1 && write(from[1], &c, 1) == 1)
		;
	return NULL;
}

static void wakeups(int n)
{
	pthread_t thread;
	char c = 0;

	if (pipe(to) || pipe(from) || pthread_create(&thread, NULL, echo, NULL))
		exit(1);
	while (n--) {
		if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
			exit(1);
	}
	close(to[1]);
	pthread_join(thread, NULL);
}

/* Threads that run in turn, so the order of their operations is known */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn, rounds;

#define NR_THREADS	3

static void *in_turn(void *arg)
{
	long me = (long)arg, i;

	for (i = 0; i < rounds; i++) {
		pthread_mutex_lock(&mutex);
		while (turn % NR_THREADS != me)
			pthread_cond_wait(&cond, &mutex);
		put(watched + 1);
		look_away();
		probed(me);
		turn++;
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void threads(int n)
{
	pthread_t thread[NR_THREADS];
	long i;

	rounds = n;
	for (i = 0; i < NR_THREADS; i++)
		pthread_create(&thread[i], NULL, in_turn, (void *)i);
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(thread[i], NULL);
}

/* Threads that hold the mm's lock for long, and threads that wait for it */
static void *populate(void *arg)
{
	int i, n = *(int *)arg;

	for (i = 0; i < n; i++) {
		void *p = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		munmap(p, 4 << 20);
	}
	return NULL;
}

static void locks(int n)
{
	pthread_t thread[NR_THREADS];
	int i;

	for (i = 0; i < NR_THREADS; i++)
		pthread_create(&thread[i], NULL, populate, &n);
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void forks(int n)
{
	while (n--) {
		if (!fork()) {
			probed(1);
			put(n);
			_exit(0);
		}
		wait(NULL);
	}
}

static const struct {
	const char *name;
	void (*run)(int n);
} works[] = {
	{ "calls", calls },
	{ "functions", functions },
	{ "writes", writes },
	{ "reads", reads },
	{ "faults", faults },
	{ "files", files },
	{ "hot", hot },
	{ "wakeups", wakeups },
	{ "threads", threads },
	{ "locks", locks },
	{ "forks", forks },
	{ }
};

int main(int argc, char **argv)
{
	int i;

	for (i = 0; argc == 3 && works[i].name; i++) {
		if (!strcmp(argv[1], works[i].name)) {
			works[i].run(atoi(argv[2]));
			return 0;
		}
	}
	fprintf(stderr, "usage: work WHAT N\n");
	return 2;
}
