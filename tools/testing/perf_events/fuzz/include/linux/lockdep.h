/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Locks and interrupts of a single thread: every lock is held, and interrupts are off. At delay
 * points of the kernel a fuzzer may insert an operation.
 */
#ifndef _FUZZ_LINUX_LOCKDEP_H
#define _FUZZ_LINUX_LOCKDEP_H

#define lockdep_assert(cond)			fuzz_assert(cond)
#define lockdep_assert_held(lock)		do { } while (0)
#define lockdep_assert_irqs_disabled()		do { } while (0)
#define irqs_disabled()				true
#define raw_spin_lock_irqsave(lock, flags)	((void)(lock), (void)(flags))
#define raw_spin_unlock_irqrestore(lock, flags)	((void)(lock), (void)(flags))

#ifdef PERF_TIME_STEP
#define perf_delay(point)			PERF_TIME_STEP()
#else
#define perf_delay(point)			do { } while (0)
#endif

#endif /* _FUZZ_LINUX_LOCKDEP_H */
