# SPDX-License-Identifier: MIT
# GNU make. `make help` lists the targets; all that is made goes to build/ (or build/debug, build/asan, build/tsan).

BUILD = release
CC = gcc
CFLAGS =
PREFIX = /usr/local
LIBDIR = $(PREFIX)/lib
DESTDIR =
OBJCOPY = objcopy
FUZZ_SECONDS = 60
# Options of bench/peers/measure.py and bench/plots.py, which list them with --help.
BENCH =

VERSION := $(shell cat VERSION)
# When that version was made, as manual pages have it: June 9, 2026.
DATE := $(shell LC_ALL=C date -d "$$(sed -n 's/^\#\# .*, //p' CHANGELOG.md | head -n 1)" '+%B %-d, %Y')
SONAME := libevenkeel.so.$(firstword $(subst ., ,$(VERSION)))
LIBRARIES := lapacke lapack blas arpack hwloc liburcu liburcu-qsbr
# What lab/ and cli/ need beside the library, which does without.
COMMAND_LIBRARIES := jansson sqlite3 libzstd inih libxxhash nettle gsl
# Hardware counters, where PAPI is there. ThreadSanitizer does not see PAPI's locks.
ifneq ($(BUILD),tsan)
PAPI := $(shell pkg-config --exists papi 2>/dev/null && echo papi)
endif

# Ranks, where Open MPI is there: an object of its own, which is opened where it is asked for.
MPI := $(shell pkg-config --exists ompi-c 2>/dev/null && echo ompi-c)
# Parts of general graphs for them, where METIS is there too; it has nothing for pkg-config.
METIS := $(if $(MPI),$(shell printf '\043include <metis.h>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo -lmetis))

ifeq ($(filter release debug asan tsan fuzz,$(BUILD)),)
$(error BUILD is one of release, debug, asan, tsan, not '$(BUILD)')
endif
out := $(if $(filter release,$(BUILD)),build,build/$(BUILD))

MODE_release = -O3 -g
MODE_debug = -O0 -g3
# What no integer can hold is not converted to one: `undefined` alone does not look for that.
UNDEFINED = undefined,float-cast-overflow
# A sanitizer's report names a function and a line, for which -g1 is enough.
MODE_asan = -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,$(UNDEFINED) -fno-sanitize-recover=$(UNDEFINED)
MODE_tsan = -O1 -g1 -fno-omit-frame-pointer -fsanitize=thread
MODE_fuzz = -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,$(UNDEFINED) -Wno-error
FLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
        -ffp-contract=off -fvisibility=hidden -fPIC $(MODE_$(BUILD))
# Random123's vectors are used by nobody, and their headers take a compiler longer than most of our files.
INCLUDES := -I. -DR123_USE_SSE=0 $(patsubst -I%,-isystem%,$(shell pkg-config --cflags-only-I $(LIBRARIES) $(PAPI) $(COMMAND_LIBRARIES) 2>/dev/null)) \
            -DEK_VERSION='"$(VERSION)"' -DCLI_DATE='"$(DATE)"' $(if $(PAPI),-DHOST_WITH_PAPI)
LIBS := -Wl,--as-needed $(shell pkg-config --libs $(LIBRARIES) $(PAPI) 2>/dev/null) -lm -pthread
COMMAND_LIBS := $(shell pkg-config --libs $(COMMAND_LIBRARIES) 2>/dev/null)
CRITERION := $(shell pkg-config --libs criterion 2>/dev/null)

# What is installed: threads/api/evenkeel.h with its parts in the places of its includes, and the loops of methods beside it.
PUBLIC := $(out)/include/evenkeel.h $(addprefix $(out)/include/evenkeel/,cargo.h block.h wide.h)
PUBLIC_PARTS := base/common.h topologies/topology.h core/method.h threads/api/run.h threads/api/replay.h threads/api/explore.h

objects = $(patsubst %.c,$(out)/%.o,$(wildcard $(1)))
sources_of = $(sort $(shell find $(1) -name '*.c'))
LIBRARY_OBJECTS := $(call objects,$(call sources_of,base topologies core threads))
BASE_OBJECTS := $(call objects,$(call sources_of,base))
CLI_OBJECTS := $(call objects,$(filter-out cli/mpi/%,$(call sources_of,lab cli))) $(out)/cli/page/parts/parts.o \
               $(out)/lab/papers/claims.o
TEST_SOURCES := $(sort $(shell find tests -name 'test_*.c' -o -name 'plain_*.c' -o -name 'fuzz_*.c'))
PROGRAM_SOURCES := $(TEST_SOURCES) $(wildcard bench/bench_*.c examples/*.c)
# What the programs share.
SHARED_SOURCES := $(wildcard tests/support/*.c) $(filter-out $(PROGRAM_SOURCES),$(wildcard bench/*.c))
OBJECTS := $(LIBRARY_OBJECTS) $(CLI_OBJECTS) $(call objects,$(PROGRAM_SOURCES) $(SHARED_SOURCES) tests/fuzz/replay_corpus.c)
test_shared := $(call objects,$(filter tests/%,$(SHARED_SOURCES)))
test_objects := $(call objects,$(TEST_SOURCES) tests/fuzz/replay_corpus.c) $(test_shared)
bench_shared := $(call objects,$(filter bench/%,$(SHARED_SOURCES)))

programs = $(patsubst %.c,$(out)/%,$(filter $(1),$(PROGRAM_SOURCES)))
# Those whose file's name begins like this.
programs_called = $(foreach source,$(TEST_SOURCES),$(if $(filter $(1),$(notdir $(source))),$(source:%.c=$(out)/%)))
TEST_PROGRAMS := $(call programs_called,test_%)
PLAIN_PROGRAMS := $(call programs_called,plain_%)
FUZZ_PROGRAMS := $(call programs_called,fuzz_%)
BENCH_PROGRAMS := $(call programs,bench/%)
EXAMPLE_PROGRAMS := $(call programs,examples/%)

.PHONY: all charts run test test-all bench bench-peers bench-plots deb deb-root deps install uninstall check-format clean fuzz help objects tests plain fuzzers
.DELETE_ON_ERROR:
.SECONDARY:

all: $(out)/evenkeel $(out)/libevenkeel.a $(out)/$(SONAME) $(PUBLIC) ## the command and the library
all: $(EXAMPLE_PROGRAMS)

run: $(out)/evenkeel $(out)/examples/mandelbrot ## the main job: four methods balance a real load on 256 threads
	@EVENKEEL=$< MANDELBROT=$(out)/examples/mandelbrot examples/main_job.sh

test: ## every test, again under ASan and UBSan, the threaded ones under TSan; ends with "N passed, N failed"
	@MAKE='$(MAKE)' tests/run.sh

test-all: ## the same, with all that `test` makes a part of: thousands of draws, every combination, every model
	@MAKE='$(MAKE)' TESTS_PART=1 tests/run.sh

bench: $(BENCH_PROGRAMS) ## measure the machine beside its floors and serial loops
	@set -e; for program in $^; do $$program; done

# What cannot be installed is left out, and that is said.
bench-peers: $(out)/evenkeel ## measure it beside Go, Erlang, SimGrid, MPI, OpenMP and threads, which it installs, and the machine's limits
	@PACKAGES=bench/peers/packages ./bootstrap deps || echo "bench-peers: goes on with what is installed" >&2
	@EVENKEEL=$< python3 -B bench/peers/check.py
	@EVENKEEL=$< python3 -B bench/peers/measure.py $(BENCH)

bench-plots: $(out)/evenkeel ## time and memory by size, workers, degree and delay: pictures and CSV in build/plots/
	@EVENKEEL=$< python3 -B bench/plots.py $(BENCH)

deps: ## install the Debian packages that are missing
	@./bootstrap deps

charts: ## fetch uPlot anew, which draws the charts of `evenkeel report`, and build with it
	@rm -rf build/uplot
	@$(MAKE) --no-print-directory all

# Where manual pages and the shells' completions go; the bash one is called like the command.
MAN := $(PREFIX)/share/man
COMPLETIONS := $(PREFIX)/share/bash-completion/completions/evenkeel $(PREFIX)/share/zsh/site-functions/_evenkeel \
               $(PREFIX)/share/fish/vendor_completions.d/evenkeel.fish
MADE_FROM_TABLES := $(addprefix $(out)/,evenkeel.1 evenkeel.3 evenkeel.5 evenkeel.7 evenkeel.bash evenkeel.zsh evenkeel.fish)

install: all $(MADE_FROM_TABLES) ## install under DESTDIR and PREFIX (/usr/local)
	install -d $(addprefix $(DESTDIR),$(PREFIX)/bin $(PREFIX)/include/evenkeel $(LIBDIR)/pkgconfig \
	    $(addprefix $(MAN)/,man1 man3 man5 man7) $(dir $(COMPLETIONS)))
	install $(out)/evenkeel $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $(out)/include/evenkeel.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(addprefix $(out)/include/evenkeel/,cargo.h block.h wide.h) $(DESTDIR)$(PREFIX)/include/evenkeel/
	install -m 644 $(out)/libevenkeel.a $(DESTDIR)$(LIBDIR)/
	install -m 644 $(out)/$(SONAME) $(DESTDIR)$(LIBDIR)/libevenkeel.so.$(VERSION)
	ln -sf libevenkeel.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libevenkeel.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@LIBS@|$(LIBS)|' evenkeel.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/evenkeel.pc
	for section in 1 3 5 7; do \
	    install -m 644 $(out)/evenkeel.$$section $(DESTDIR)$(MAN)/man$$section/ || exit 1; \
	done
	install -m 644 $(out)/evenkeel.bash $(DESTDIR)$(word 1,$(COMPLETIONS))
	install -m 644 $(out)/evenkeel.zsh $(DESTDIR)$(word 2,$(COMPLETIONS))
	install -m 644 $(out)/evenkeel.fish $(DESTDIR)$(word 3,$(COMPLETIONS))
	[ -z "$(MPI)" ] || { install -d $(DESTDIR)$(PREFIX)/lib/evenkeel && \
	    install -m 644 $(out)/evenkeel-mpi.so $(DESTDIR)$(PREFIX)/lib/evenkeel/; }
	@# A program finds the library when the loader's cache knows it; a package's own scripts see to that themselves.
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig || true

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR),$(addprefix $(PREFIX)/,bin/evenkeel include/evenkeel.h $(addprefix include/evenkeel/,cargo.h block.h wide.h)) \
	    $(foreach section,1 3 5 7,$(MAN)/man$(section)/evenkeel.$(section)) $(COMPLETIONS))
	rm -rf $(DESTDIR)$(PREFIX)/lib/evenkeel
	[ ! -d $(DESTDIR)$(PREFIX)/include/evenkeel ] || rmdir --ignore-fail-on-non-empty $(DESTDIR)$(PREFIX)/include/evenkeel
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libevenkeel.a libevenkeel.so.$(VERSION) $(SONAME) libevenkeel.so \
	                                       pkgconfig/evenkeel.pc)

deb: ## Debian packages in build/deb/, held to lintian and their tests; needs debhelper, lintian and fakeroot
	@tests/house/deb.sh

deb-root: ## the packages that `make deb` has built, on a clean Debian; needs root, debootstrap and a network
	@tests/house/deb_root.sh

check-format: ## whether clang-format would change anything
	@clang-format --dry-run -Werror $(shell git ls-files '*.[ch]')

clean: ## remove build/
	rm -rf build

fuzz: ## fuzz each parser for FUZZ_SECONDS (60) with clang's libFuzzer; finds go to tests/fuzz/corpus/
	@$(MAKE) --no-print-directory BUILD=fuzz CC=clang fuzzers
	@set -e; for name in $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)); do \
	    mkdir -p build/fuzz/corpus/$$name tests/fuzz/corpus/$$name; \
	    build/fuzz/tests/fuzz/fuzz_$$name -entropic=0 -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=tests/fuzz/corpus/$$name/ \
	        build/fuzz/corpus/$$name tests/fuzz/corpus/$$name; \
	done

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' Makefile
	@echo "BUILD=release|debug|asan|tsan chooses the build, V=1 shows the commands."

objects: $(OBJECTS)
plain: $(PLAIN_PROGRAMS)
fuzzers: $(FUZZ_PROGRAMS)
tests: $(TEST_PROGRAMS) fuzzers plain

# Building.
say = $(if $(V),,@echo "  $(1) $@";)
ifeq ($(filter-out help clean deb deb-root deps check-format uninstall,$(or $(MAKECMDGOALS),all)),)
else ifneq ($(shell pkg-config --exists $(LIBRARIES) $(COMMAND_LIBRARIES) && echo found),found)
$(error Some libraries are missing: run `./bootstrap deps` first)
endif

# BASE_DEBUG turns on the assertions in inner loops (base/debug.h). The tests' own code must compile quickly rather than
# run fast. Of its memory the sanitizers watch what it lends to the library.
ifneq ($(BUILD),release)
FLAGS += -DBASE_DEBUG
endif
ifeq ($(BUILD),release)
$(test_objects): FLAGS += -DBASE_DEBUG -Og -g1
else ifeq ($(BUILD),asan)
$(test_objects): FLAGS += -O0 -fno-sanitize=$(UNDEFINED)
endif

$(out)/%.o: %.c Makefile VERSION
	@mkdir -p $(@D)
	$(call say,cc  )$(CC) $(FLAGS) $(INCLUDES) $(CFLAGS) -MMD -MP -c $< -o $@

# The page of `evenkeel report`, in the command as it is here: each part is the bytes from _binary_NAME_start on.
page_parts := $(addprefix cli/page/parts/,head.html page.css body.html)
page_scripts := $(addprefix cli/page/parts/,values.js colours.js charts.js tables.js compare.js curves.js map.js free.js timeline.js contention.js page.js)
build/uplot/uplot.js: cli/page/parts/uplot.sh
	@$< $(@D)

$(out)/cli/page/parts/parts.o: $(page_parts) $(page_scripts) build/uplot/uplot.js Makefile
	@mkdir -p $(@D) && cp $(page_parts) build/uplot/uplot.js build/uplot/uplot.css $(@D) && cat $(page_scripts) > $(@D)/script.js
	$(call say,ld  )cd $(@D) && $(LD) -r -b binary -z noexecstack -o $(@F) $(notdir $(page_parts)) script.js uplot.js uplot.css

# The papers' claims, in the command as they are here.
claims := $(sort $(wildcard lab/papers/*.ini))
$(out)/lab/papers/claims.o: $(claims) Makefile
	@mkdir -p $(@D) && cat $(claims) > $(@D)/claims.ini
	$(call say,ld  )cd $(@D) && $(LD) -r -b binary -z noexecstack -o $(@F) claims.ini

# The rooms as they are, for the tests, which look inside.
$(out)/rooms.a: $(LIBRARY_OBJECTS)
	$(call say,ar  )rm -f $@ && $(AR) rcs $@ $^

# The command's rooms, for the tests of what it reads and prints.
$(out)/command.a: $(filter-out $(out)/cli/main.o,$(CLI_OBJECTS))
	$(call say,ar  )rm -f $@ && $(AR) rcs $@ $^

# One object, in which only what <evenkeel.h> declares can be seen from outside: no other name can clash.
$(out)/libevenkeel.a: $(LIBRARY_OBJECTS)
	$(call say,ar  )rm -f $@ $(@:.a=.o) && $(LD) -r -o $(@:.a=.o) $^ && $(OBJCOPY) --localize-hidden $(@:.a=.o) && \
	    $(AR) rcs $@ $(@:.a=.o)

$(out)/$(SONAME): $(LIBRARY_OBJECTS)
	$(call say,link)$(CC) $(FLAGS) $(CFLAGS) -shared -Wl,-soname,$(SONAME) $^ $(LIBS) -o $@

# A plugin finds the library's functions in the command.
# The library hides its base/, so the command has its own.
$(out)/evenkeel: $(CLI_OBJECTS) $(BASE_OBJECTS) $(out)/libevenkeel.a
	$(call say,link)$(CC) $(FLAGS) $(CFLAGS) $^ $(LIBS) $(COMMAND_LIBS) -Wl,--export-dynamic-symbol='ek_*' -o $@

ifneq ($(MPI),)
$(out)/evenkeel: | $(out)/evenkeel-mpi.so
$(out)/evenkeel-mpi.so: cli/mpi/mpi_ranks.c cli/mpi/mpi.h threads/api/run.h Makefile VERSION
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(FLAGS) $(INCLUDES) $(patsubst -I%,-isystem%,$(shell pkg-config --cflags-only-I $(MPI))) $(CFLAGS) \
	    $(if $(METIS),-DCLI_WITH_METIS) -shared $< $(shell pkg-config --libs $(MPI)) $(METIS) -o $@
endif

$(out)/include/evenkeel.h: threads/api/evenkeel.h $(PUBLIC_PARTS) Makefile VERSION
	@mkdir -p $(@D)
	$(call say,join)awk '/^#include "/ { gsub("\"", "", $$2); while ((getline line < $$2) > 0) \
	    if (line !~ /^#include "|^\/\/ SPDX/) print line; next } { sub("@VERSION@", "$(VERSION)"); print }' $< > $@

# The loops of methods, with the header of cargo that they include.
$(out)/include/evenkeel/cargo.h: core/cargo/cargo.h
$(out)/include/evenkeel/block.h: core/methods/kernels/block.h
$(out)/include/evenkeel/wide.h: core/methods/kernels/wide.h
$(out)/include/evenkeel/%.h: Makefile
	@mkdir -p $(@D)
	$(call say,sed )sed -e 's|"core/cargo/cargo.h"|<evenkeel/cargo.h>|' -e 's|"core/method.h"|<evenkeel.h>|' -e 's|"core/methods/kernels/block.h"|<evenkeel/block.h>|' $(filter %.h,$^) > $@

$(out)/cli/commands/doctor.o: INCLUDES += $(if $(METIS),-DCLI_WITH_METIS)

$(out)/cli/line/manual.o: CHANGELOG.md
$(out)/evenkeel.1: $(out)/evenkeel
	$(call say,man )$< help --man > $@

$(out)/evenkeel.3: docs/library.md
$(out)/evenkeel.5: docs/formats.md
$(out)/evenkeel.7: docs/model.md
$(addprefix $(out)/evenkeel.,3 5 7): $(out)/evenkeel.%: docs/mdoc.awk CHANGELOG.md
	$(call say,man )awk -v name=evenkeel -v section=$* -v date='$(DATE)' -f $< $(filter docs/%.md,$^) > $@

$(addprefix $(out)/evenkeel.,bash zsh fish): $(out)/evenkeel.%: $(out)/evenkeel
	$(call say,tab )$< help --completion $* > $@

# Of linkers gold is the quickest that comes with a compiler. What is installed is linked by the usual one.
GOLD := $(shell $(CC) -fuse-ld=gold -Wl,--version >/dev/null 2>&1 && echo -fuse-ld=gold)
$(TEST_PROGRAMS) $(PLAIN_PROGRAMS) $(FUZZ_PROGRAMS): EXTRA = $(GOLD)
$(TEST_PROGRAMS): EXTRA += $(CRITERION)
$(TEST_PROGRAMS) $(PLAIN_PROGRAMS): $(test_shared)
ifeq ($(BUILD),fuzz)
$(FUZZ_PROGRAMS): EXTRA += -fsanitize=fuzzer
else
$(FUZZ_PROGRAMS): $(out)/tests/fuzz/replay_corpus.o
endif
$(BENCH_PROGRAMS): $(bench_shared)
$(call objects,examples/*.c): INCLUDES += -I$(out)/include
$(call objects,examples/*.c): $(PUBLIC)
$(out)/tests/unit/cli/test_mpi_ranks.o: INCLUDES += -Itests/support/mpi
$(EXAMPLE_PROGRAMS): library = $(out)/libevenkeel.a
$(EXAMPLE_PROGRAMS): $(out)/libevenkeel.a
$(call programs,%): library = $(out)/rooms.a
COMMAND_TESTS := $(call programs,tests/unit/lab/% tests/unit/cli/% tests/runs/test_runs_over_ranks.c) $(addprefix $(out)/tests/fuzz/fuzz_,experiment_file record recording store)
$(COMMAND_TESTS): library = $(out)/command.a $(out)/rooms.a
$(COMMAND_TESTS): $(out)/command.a
$(call programs,%): $(out)/%: $(out)/%.o $(out)/rooms.a
	$(call say,link)$(CC) $(FLAGS) $(CFLAGS) $(filter %.o,$^) $(library) $(LIBS) $(COMMAND_LIBS) $(EXTRA) -o $@

-include $(OBJECTS:.o=.d)
