# SPDX-License-Identifier: MIT
# `make web`: the library without threads, compiled by emscripten into one JavaScript file, and the page that runs it
# (docs/web.md).

EMCC = emcc
web := build/web

# Left out are threads and other libraries, whose places bindings/web/stand_ins.c takes, and what a page does not need.
WEB_LEFT_OUT := $(wildcard threads/host/*.c threads/drivers/explore/*.c threads/drivers/replay/*.c threads/cargo/vt_*.c) \
                topologies/spectra/eigensolvers.c core/programs/uts.c threads/cargo/brotli.c threads/mail/bell.c threads/mail/mailbox_wfcq.c
WEB_SOURCES := $(filter-out $(WEB_LEFT_OUT),$(call sources_of,base topologies core threads)) threads/cargo/vt_path.c \
               lab/record/fields.c lab/record/value_names.c cli/figures/drawing.c $(wildcard bindings/web/*.c)
WEB_OBJECTS := $(patsubst %.c,$(web)/%.o,$(WEB_SOURCES))

# emcc needs Debian's modules of node, which a node from elsewhere does not find by itself (NODE_PATH).
# Sizes have 32 bits there, and the library checks what it allocates against the memory that there is. A page has no
# fused multiplications, and like the command it must not combine any.
WEB_FLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wno-unknown-pragmas -ffp-contract=off -O2 -fno-math-errno \
            -I. -isystem bindings/web/stand_ins -isystem $(web)/headers -DR123_USE_SSE=0 -DEK_VERSION='"$(VERSION)"' \
            -DWEB_THREEFRY='<$(abspath $(web)/headers/Random123/threefry.h)>'
WEB_CALLS := malloc free web_choices web_begin web_set web_loads web_prepare web_wrong web_describe web_run web_report \
             web_frame_count web_frames web_flows
comma := ,
empty :=
space := $(empty) $(empty)

web: $(web)/index.html ## a machine in a page, and its engine in JavaScript (docs/web.md); needs emscripten

# The lines `@include FILE` of the template name the parts of the page.
web_template := bindings/web/page/index.html
web_parts := $(shell sed -n 's/^@include //p' $(web_template))
web_lessons := $(sort $(wildcard docs/lessons/*.md))
$(web)/index.html: $(web_template) bindings/web/assemble.js $(web_parts) $(web_lessons) VERSION
	$(call say,page)node bindings/web/assemble.js $(web_template) $(VERSION) $(web_lessons) >$@

$(web)/machine.js: bindings/web/machine.js
	@mkdir -p $(@D) && cp $< $@

$(web)/headers/made: Makefile bindings/web/web.mk
	@mkdir -p $(@D) && rm -rf $(@D)/Random123 && cp -r $(firstword $(wildcard /usr/include/Random123 /usr/local/include/Random123)) $(@D)/ && \
	    cp $(firstword $(wildcard /usr/include/xxhash.h /usr/local/include/xxhash.h)) $(@D)/ && touch $@

# emcc is a script that starts clang. To start it for each file takes twice as long as to compile.
$(web)/compiler: bindings/web/web.mk
	@mkdir -p $(@D)
	@echo "$$(em-config LLVM_ROOT)/clang $$($(EMCC) --cflags)" >$@

$(web)/%.o: %.c $(web)/headers/made $(web)/compiler VERSION
	@mkdir -p $(@D)
	$(call say,em  )$$(cat $(web)/compiler) $(WEB_FLAGS) -MMD -MP -c $< -o $@

$(web)/engine.js: $(WEB_OBJECTS)
	$(call say,link)NODE_PATH=/usr/share/nodejs $(EMCC) -O2 $^ -sSINGLE_FILE=1 -sMODULARIZE=1 -sEXPORT_NAME=openMachine -sENVIRONMENT=web,node -sALLOW_MEMORY_GROWTH=1 \
	    -sMAXIMUM_MEMORY=2147483648 -sTOTAL_STACK=1048576 -sFILESYSTEM=0 -sEXPORTED_RUNTIME_METHODS=ccall \
	    -sEXPORTED_FUNCTIONS=$(subst $(space),$(comma),$(addprefix _,$(WEB_CALLS))) -o $@

-include $(WEB_OBJECTS:.o=.d)
