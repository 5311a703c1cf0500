package words

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Machine returns the CPU, memory and kind of a machine on one line.
func Machine(m result.Machine) string {
	parts := []string{cmp.Or(m.CPU.Model, m.CPU.Vendor, "an unknown CPU")}
	threads := Plural(m.CPU.Threads, "CPU")
	if m.CPU.Cores > 0 {
		threads += " on " + Plural(m.CPU.Cores, "core")
	}
	if m.CPU.Sockets > 1 {
		threads += " in " + Plural(m.CPU.Sockets, "socket")
	}
	parts = append(parts, threads)
	if m.MemoryBytes > 0 {
		parts = append(parts, Amount("B", float64(m.MemoryBytes))+" of memory")
	}
	switch m.Virtual {
	case "none":
		parts = append(parts, "bare metal")
	case "":
	default:
		parts = append(parts, "virtual ("+m.Virtual+")")
	}
	if m.Product != "" {
		parts = append(parts, m.Product)
	}
	return strings.Join(parts, ", ")
}

// Variant returns a variant with the commit and toolchain of its label.
func Variant(v result.Variant) string {
	parts := []string{v.Label}
	if r := v.Revision; r != "" && !strings.HasPrefix(r, v.Label) {
		parts = append(parts, r[:min(len(r), 12)])
	}
	if v.Dirty {
		parts = append(parts, "with uncommitted changes")
	}
	if v.Go != "" {
		parts = append(parts, v.Go)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}
