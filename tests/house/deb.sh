#!/bin/sh
# SPDX-License-Identifier: MIT
# `make deb`: builds the Debian packages in build/deb/, and holds them to lintian and to their own tests (debian/tests/), which
# run on what is unpacked beside them: nothing is installed. Needs debhelper, dh-python, lintian, fakeroot, python3-cffi and
# python3-setuptools; without them nothing is built, and that is said. Compiles everything anew, so it is no part of
# `make test`.
set -u
cd "$(dirname "$0")/../.." || exit 1
for tool in dh dh_python3 lintian dpkg-buildpackage fakeroot; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: $tool is missing: install debhelper, dh-python, lintian and fakeroot"
        exit 0
    fi
done
if ! /usr/bin/python3 -c 'import cffi, setuptools' 2>/dev/null; then
    echo "skipped: Debian's Python lacks what builds its package: install python3-cffi and python3-setuptools"
    exit 0
fi
. tests/support/expect.sh

version=$(cat VERSION)
expect "the package's version" "$version" "$(sed -n '1s/^evenkeel (\(.*\)) .*/\1/p' debian/changelog)"
rm -rf build/deb
mkdir -p "build/deb/evenkeel-$version"
# What the project holds, but not what was built of it.
tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "build/deb/evenkeel-$version"
(cd "build/deb/evenkeel-$version" && dpkg-buildpackage -us -uc "-j$(getconf _NPROCESSORS_ONLN)") >build/deb/log 2>&1
built=$?
expect "dpkg-buildpackage" 0 "$built"
if [ "$built" -ne 0 ]; then
    tail -n 40 build/deb/log
    result
    exit
fi
expect "lintian" "" "$(lintian --allow-root --fail-on none build/deb/*.changes 2>&1)"

root=$PWD/build/deb/root
for package in build/deb/*.deb; do
    dpkg-deb -x "$package" "$root"
done
libraries=$(dirname "$(find "$root/usr/lib" -name libevenkeel.a)")
expect "the packages" "evenkeel libevenkeel-dev libevenkeel0 python3-evenkeel" \
    "$(for package in build/deb/*_"$version"_*.deb; do dpkg-deb -f "$package" Package; done | grep -v dbgsym | sort | xargs)"
expect "what the Python package depends on" "libevenkeel0 python3-cffi-backend python3-numpy" \
    "$(dpkg-deb -f build/deb/python3-evenkeel_*.deb Depends | grep -oE '(libevenkeel0|python3-cffi-backend|python3-numpy)' |
        sort -u | xargs)"
for name in command library python; do
    PATH=$root/usr/bin:/usr/bin:$PATH LD_LIBRARY_PATH=$libraries PKG_CONFIG_PATH=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
        PYTHONPATH=$root/usr/lib/python3/dist-packages EXAMPLES=$root/usr/share/doc/libevenkeel-dev/examples "debian/tests/$name" >"$folder/err" 2>&1
    expect "the package's test $name" 0 $?
done
echo "built: $(ls build/deb/*.deb | xargs)"
result
