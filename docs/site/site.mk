# SPDX-License-Identifier: MIT
# `make site`: the pages of the documentation as HTML (docs/site.md).

# The store of `evenkeel papers`, from which the book of claims is written. Without it the site says how to make it.
STORE = papers.sqlite
SITE_TOOLS := cmark-gfm mandoc
SITE_BOOK = $(out)/book-of-$(notdir $(STORE)).html

site: all $(out)/evenkeel.1 $(if $(wildcard $(STORE)),$(SITE_BOOK)) ## make the documentation, the lessons and the book of claims as a site in build/site/ (docs/site.md)
	@$(foreach tool,$(SITE_TOOLS),command -v $(tool) >/dev/null || { echo "site: $(tool) is missing: install the Debian package $(tool)" >&2; exit 2; };)
	@python3 -B docs/site/build.py --out $(out)/site --manual $(out)/evenkeel.1 --web build/web $(if $(wildcard $(STORE)),--book $(SITE_BOOK))

# The command also writes to the store, so the book gets its time when the command has ended.
$(SITE_BOOK): $(wildcard $(STORE)) $(claims) | $(out)/evenkeel
	$(call say,book)$(out)/evenkeel papers --all --quick --quiet --store '$(STORE)' --report $@ && touch $@
