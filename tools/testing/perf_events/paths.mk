# SPDX-License-Identifier: GPL-2.0
#
# Paths of the kernel's sources that are built for user space: EVENTS is
# kernel/events/, and a file may be in any of these directories below it.

EVENTS_DIRS := $(EVENTS) $(EVENTS)/record $(EVENTS)/source
EVENTS_INCLUDE := $(addprefix -iquote ,$(EVENTS_DIRS))
EVENTS_HDRS := $(foreach dir,$(EVENTS_DIRS),$(wildcard $(dir)/*.h))
