package study

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// A file affects speed beyond its content. The kernel maps a file written in
// one go in larger pieces than a file from a linker, which makes the same code
// half a percent faster. The length of its path shifts the stack. So the
// workers of a block run equally made copies, in directories with names of
// equal length. A new draw assigns them to variants in every block.

// programSuffix ends the name of a program.
var programSuffix = map[string]string{"windows": ".exe"}[runtime.GOOS]

func (l *links) place(k int, bins map[int]Binary) (map[int]Binary, error) {
	if l.scratch == "" {
		return bins, nil
	}
	out := make(map[int]Binary, len(bins))
	for slot, v := range l.draws.Slots(l.pkg, k) {
		bin, ok := bins[v]
		if !ok {
			continue
		}
		to := l.slot(k, slot)
		if bin.Command != nil {
			if !slices.ContainsFunc(bin.Command, namesBinary) {
				out[v] = bin // it may need the files in its directory
				continue
			}
			to = filepath.Join(filepath.Dir(to), bin.Program+programSuffix)
		}
		err := copyProgram(to, bin.Path)
		if errors.Is(err, fs.ErrNotExist) { // the benchmark removed it
			return nil, &Failed{Variant: v, Reason: failedReason, Message: fmt.Sprintf("its test binary is gone: %v", err)}
		}
		if err != nil {
			return nil, fmt.Errorf("copy test binary of %s: %w", l.pkg, err)
		}
		bin.Path = to
		out[v] = bin
	}
	return out, nil
}

func (l *links) slot(k, slot int) string {
	h := fnv.New64a()
	h.Write([]byte(l.pkg))
	return filepath.Join(l.scratch, fmt.Sprintf("%016x-%08d-%d", h.Sum64(), k, slot), path.Base(l.pkg)+".test"+programSuffix)
}

func (l *links) unplace(k int) {
	if l.scratch == "" {
		return
	}
	for slot := range l.draws.Variants {
		os.RemoveAll(filepath.Dir(l.slot(k, slot)))
	}
}

func copyProgram(to, from string) error {
	program, err := file.ReadNamed(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return process.WriteProgram(func() error { return os.WriteFile(to, program, 0o700) })
}

// Slots draws the slots of the variants in block k of a package.
func (p draws) Slots(pkg string, k int) []int {
	return p.stream("slot", pkg, strconv.Itoa(p.funcOrder(k))).Perm(p.Variants)
}
