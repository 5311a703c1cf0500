#!/bin/sh
# Tests the library, and what reads its files, on other processors: 386 runs on an amd64 kernel, arm64
# under qemu-user. What cannot run here is built, and said by name.
set -u
cd "$(dirname "$0")/.." || exit 1
packages="./clock ./unit ./stats ./histogram ./histogram/hdr ./internal/order ./internal/shard ./plot ./internal/result/... ."
failed=0

for package in $packages; do
	if ! CGO_ENABLED=0 go test -count 1 "$package"; then failed=1; fi
	if [ "$(go env GOHOSTARCH)" = amd64 ]; then
		echo "386:"
		if ! GOARCH=386 go test -count 1 -skip 'TestFloors|TestStandardLibraryOnly|TestLoopKeepsResultsAlive|TestRecordIsInlined|TestBuildTagMakesItPlain' "$package"; then failed=1; fi
	else
		echo "NOT RUN: $package for 386: the host is no amd64; it was built only"
		if ! GOARCH=386 go vet "$package"; then failed=1; fi
	fi
	qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
	if [ -n "$qemu" ]; then
		echo "arm64 under $qemu:"
		if ! GOARCH=arm64 go test -count 1 -skip 'TestFloors|TestStandardLibraryOnly|TestLoopKeepsResultsAlive|TestRecordIsInlined|TestBuildTagMakesItPlain' -exec "$qemu" "$package"; then failed=1; fi
	else
		echo "NOT RUN: $package for arm64: no qemu-aarch64-static (Debian: qemu-user-static); it was built only"
		if ! GOARCH=arm64 go vet "$package"; then failed=1; fi
	fi
done
for target in windows/amd64 windows/arm64 darwin/arm64 linux/riscv64; do
	echo "NOT RUN: $target: built only"
	if ! GOOS=${target%/*} GOARCH=${target#*/} go vet $packages; then failed=1; fi
done
exit $failed
