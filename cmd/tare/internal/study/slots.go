package study

import (
	"fmt"
	"hash/fnv"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// A file affects speed beyond its content. The pages of a file written in one
// go are mapped in larger pieces than the pages of a file that a linker filled,
// and the same code is half a percent faster from it. The length of its path
// shifts the stack. So the workers of a block run from copies, all made in the
// same way, in directories with names of the same length, and the assignment to
// variants is drawn for every block.

// place copies the binaries of block k into directories of scratch.
func (l *links) place(k int, bins map[int]Binary) (map[int]Binary, error) {
	if l.scratch == "" {
		return bins, nil
	}
	out := make(map[int]Binary, len(bins))
	for slot, v := range l.plan.Slots(l.pkg, k) {
		bin, ok := bins[v]
		if !ok {
			continue
		}
		to := l.slot(k, slot)
		if bin.Command != nil {
			if !slices.ContainsFunc(bin.Command, namesBinary) {
				out[v] = bin // it may need the files beside it
				continue
			}
			to = filepath.Join(filepath.Dir(to), bin.Program+programSuffix)
		}
		if err := copyProgram(to, bin.Path); err != nil {
			return nil, fmt.Errorf("copy test binary of %s: %w", l.pkg, err)
		}
		bin.Path = to
		out[v] = bin
	}
	return out, nil
}

// slot is the path of a slot of block k.
func (l *links) slot(k, slot int) string {
	h := fnv.New64a()
	h.Write([]byte(l.pkg))
	return filepath.Join(l.scratch, fmt.Sprintf("%016x-%08d-%d", h.Sum64(), k, slot), path.Base(l.pkg)+".test"+programSuffix)
}

// unplace removes the copies of block k.
func (l *links) unplace(k int) {
	if l.scratch == "" {
		return
	}
	for slot := range l.plan.Variants {
		os.RemoveAll(filepath.Dir(l.slot(k, slot)))
	}
}

func copyProgram(to, from string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	// A process that starts while the file is open for writing keeps it open
	// until it becomes another program, and the file cannot be run meanwhile.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(to, program, 0o700)
}

// Slots draws which variant has which slot in block k of a package.
func (p draws) Slots(pkg string, k int) []int {
	return p.stream("slot", pkg, strconv.Itoa(p.set(k))).Perm(p.Variants)
}
