package machine

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Tree reads small kernel files. A file that is missing or does not parse is
// "not known": kernels show different files, and containers hide some.
type Tree struct{ fs.FS }

// Text is the file's text without white space around it. It is empty if
// unknown.
func (t Tree) Text(path string) string {
	b, err := fs.ReadFile(t.FS, path)
	if err != nil {
		return ""
	}
	return strings.TrimRight(strings.TrimSpace(string(b)), "\x00")
}

// Number reads a file that contains one number.
func (t Tree) Number(path string) (float64, bool) {
	v, err := strconv.ParseFloat(t.Text(path), 64)
	return v, err == nil
}

// Hertz reads a file in kilohertz, the unit of cpufreq.
func (t Tree) Hertz(path string) float64 {
	v, _ := t.Number(path)
	return v * 1e3
}

// Exists reports whether there is such a file or directory.
func (t Tree) Exists(path string) bool {
	_, err := fs.Stat(t.FS, path)
	return err == nil
}

// Names lists a directory.
func (t Tree) Names(path string) []string {
	entries, err := fs.ReadDir(t.FS, path)
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// Fields reads "key value" lines, as in cpu.stat, vmstat and meminfo. It drops
// a colon after the key and a unit after the value.
func (t Tree) Fields(path string) map[string]float64 {
	fields := map[string]float64{}
	for line := range strings.Lines(t.Text(path)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		if v, err := strconv.ParseFloat(f[1], 64); err == nil {
			fields[strings.TrimSuffix(f[0], ":")] = v
		}
	}
	return fields
}

// maxCPUs limits a CPU list. The kernel's own limit is 8,192 (x86), and a
// longer list is an error.
const maxCPUs = 1 << 16

// ParseCPUList reads the kernel's notation of a set of CPUs, "0-3,8,10-14:2"
// (see cpusets(7)), into ascending numbers. Text that is not a list gives nil.
func ParseCPUList(text string) []int {
	var cpus []int
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		part, step, stepped := strings.Cut(part, ":")
		first, last, ranged := strings.Cut(part, "-")
		lo, err := strconv.Atoi(first)
		if err != nil || lo < 0 {
			return nil
		}
		hi, by := lo, 1
		if ranged {
			if hi, err = strconv.Atoi(last); err != nil {
				return nil
			}
		}
		if stepped {
			if by, err = strconv.Atoi(step); err != nil || by < 1 {
				return nil
			}
		}
		if hi < lo || hi >= maxCPUs {
			return nil
		}
		for cpu := lo; cpu <= hi; cpu += by {
			cpus = append(cpus, cpu)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus)
}

// FormatCPUList writes a set of CPUs, in any order, as ParseCPUList reads it.
func FormatCPUList(cpus []int) string {
	cpus = slices.Compact(slices.Sorted(slices.Values(cpus)))
	var ranges []string
	for len(cpus) > 0 {
		n := 1 // the CPUs of the next range
		for n < len(cpus) && cpus[n] == cpus[n-1]+1 {
			n++
		}
		text := strconv.Itoa(cpus[0])
		if n > 1 {
			text += "-" + strconv.Itoa(cpus[n-1])
		}
		ranges, cpus = append(ranges, text), cpus[n:]
	}
	return strings.Join(ranges, ",")
}
