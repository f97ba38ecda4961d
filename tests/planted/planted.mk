# SPDX-License-Identifier: MIT
# GNU make: programs with a planted bug, for tests/planted/plant.sh. Where PLANTS/NAME/ has the patched sources, as deep as they
# lie here, PLANTS/NAME/PROGRAM is made of their objects and of all others as they are: an object that comes before an
# archive keeps the one that defines the same out.
include Makefile

ifneq ($(MAKECMDGOALS),)
planted = $(patsubst %.c,%.o,$(shell find $(1) -name '*.c'))
objects_of = $(if $(filter evenkeel,$(1)),$(out)/cli/main.o,$(filter %/$(1).o,$(test_objects)) $(if $(filter test_%,$(1)),$(out)/tests/support/leaks.o))
archives_of = $(if $(filter evenkeel,$(1)),,$(out)/support.a) $(if $(filter evenkeel,$(1))$(filter %/$(1),$(COMMAND_TESTS)),$(out)/command.a) $(out)/rooms.a

# Optimised little, so that it compiles quickly.
$(PLANTS)/%.o: FLAGS += -O1 -g0
$(PLANTS)/%.o: $(PLANTS)/%.c
	$(call say,cc  )$(CC) $(FLAGS) $(INCLUDES) $(CFLAGS) -c $< -o $@

.SECONDEXPANSION:
$(MAKECMDGOALS): $$(call objects_of,$$(@F)) $$(call planted,$$(@D)) $$(call archives_of,$$(@F))
	$(call say,link)$(CC) $(FLAGS) $(CFLAGS) $^ $(LIBS) $(COMMAND_LIBS) $(GOLD) $(if $(filter evenkeel,$(@F)),,-no-pie) $(if $(filter test_%,$(@F)),$(CRITERION)) -o $@
endif
