package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

// DiagnosisText writes the diagnosis of the doctor.
func DiagnosisText(w io.Writer, d *machine.Diagnosis, o Options) error {
	t := textWriter{o: o}
	t.field("machine", words.Machine(d.Machine))
	t.field("system", systemWords(d.Machine))
	t.field("limits", limitWords(d.Machine))
	t.field("clocked", frequencyWords(d.Machine.CPU))
	if c := d.Clock; c != nil {
		weight := fmt.Sprintf("%.0f to %.0f ns", c.Overhead.Lo, c.Overhead.Hi)
		if lo, hi := math.Round(c.Overhead.Lo), math.Round(c.Overhead.Hi); lo == hi {
			weight = fmt.Sprintf("%.0f ns", lo)
		}
		t.field("clock", fmt.Sprintf("%s: an empty interval reads %s (taken off), in steps of %.3g ns",
			cmp.Or(d.Machine.ClockSource, "monotonic"), weight, c.Resolution))
	}
	t.profiles(d.CPUs)
	if d.Skipped != "" {
		t.field("measured", "nothing: "+d.Skipped)
	}
	t.notes(notes(d.Findings))
	t.line("")
	t.line(wrap(diagnosisSentence(d), o.Width, ""))
	return t.flush(w)
}

func (t *textWriter) field(label, text string) {
	if text == "" {
		return
	}
	const indent = "            "
	t.line(t.paint(dim, fmt.Sprintf("%-11s", label)) + " " + wrapAfter(indent, text, t.o.Width, indent))
}

func systemWords(m result.Machine) string {
	var parts []string
	if name := cmp.Or(m.Distribution, m.OS); name != "" {
		parts = append(parts, name)
	}
	if m.Kernel != "" {
		parts = append(parts, "kernel "+m.Kernel)
	}
	if m.Container != "" {
		parts = append(parts, "in "+m.Container)
	}
	if m.Arch == "" {
		return strings.Join(parts, ", ")
	}
	system := m.OS + "/" + m.Arch
	if v := m.Go["GOVERSION"]; v != "" {
		system = v + " " + system
	}
	for _, name := range []string{"GOAMD64", "GOARM64", "GOEXPERIMENT", "GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG", "GOFLAGS"} {
		if v := m.Go[name]; v != "" {
			system += " " + name + "=" + v
		}
	}
	return strings.Join(append(parts, system), ", ")
}

func limitWords(m result.Machine) string {
	var parts []string
	if m.CPU.Allowed != "" && m.CPU.Allowed != m.CPU.Online {
		parts = append(parts, "may run on CPUs "+m.CPU.Allowed)
	}
	if m.Cgroup.QuotaCPUs > 0 {
		parts = append(parts, fmt.Sprintf("a quota of %.3g CPUs (cgroup v%d)", m.Cgroup.QuotaCPUs, m.Cgroup.Version))
	}
	if b := m.Cgroup.MemoryBytes; b > 0 {
		parts = append(parts, words.Amount("B", float64(b))+" of memory")
	}
	return strings.Join(parts, ", ")
}

func frequencyWords(c result.CPU) string {
	var parts []string
	for _, p := range c.Frequency {
		part := fmt.Sprintf("CPUs %s at %.3g to %.3g GHz", p.CPUs, p.MinHz/1e9, p.MaxHz/1e9)
		if p.BaseHz > 0 {
			part += fmt.Sprintf(" (base %.3g)", p.BaseHz/1e9)
		}
		parts = append(parts, part+", governor "+cmp.Or(p.Governor, "not known"))
	}
	if len(parts) > 0 && c.Boost != nil {
		parts = append(parts, "boost "+map[bool]string{true: "on", false: "off"}[*c.Boost])
	}
	return strings.Join(parts, "; ")
}

func (t *textWriter) profiles(all []machine.CPUProfile) {
	const most = 8
	shown := all
	if len(all) > most {
		worst, total := all[0], 0.0
		for _, p := range all {
			total += p.LostShare
			if p.LostShare > worst.LostShare {
				worst = p
			}
		}
		t.field("noise", fmt.Sprintf("%d CPUs lost %s of their time on average; the noisiest:", len(all), shareText(total/float64(len(all)))))
		shown = []machine.CPUProfile{worst}
	}
	for _, p := range shown {
		label := fmt.Sprintf("cpu %d", p.CPU)
		if p.CPU < 0 {
			label = "any cpu"
		}
		t.field(label, fmt.Sprintf("%s a unit of work; %s of the time lost to %s a second, the longest %s",
			words.Amount("sec", p.UnitSeconds), shareText(p.LostShare), words.Plural(int(math.Round(float64(p.Interruptions)/max(p.Seconds, 1e-9))), "interruption"), words.Amount("sec", p.LongestSeconds)))
	}
}

func diagnosisSentence(d *machine.Diagnosis) string {
	warnings := 0
	for _, f := range d.Findings {
		if f.Severity != finding.Info {
			warnings++
		}
	}
	if warnings == 0 {
		return "This machine is fit to measure."
	}
	return words.Plural(warnings, "thing") + " to fix before small changes can be trusted."
}

// shareText formats a share with two digits, and 100% with three.
func shareText(v float64) string {
	if v >= 0.0995 {
		return fmt.Sprintf("%.0f%%", 100*v)
	}
	return fmt.Sprintf("%.2g%%", 100*v)
}
