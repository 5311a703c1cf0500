package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/unit"
)

var blindSizes = []float64{0.1, 0.5}

// BlindLines returns a line for each new variant: how many of its changed functions
// could have become slower unseen.
func (d Document) BlindLines() (lines []string) {
	for _, b := range d.Comparison.Blind {
		in := ""
		if len(d.Comparison.Variants) > 2 {
			in = " in " + words.Label(d.Comparison.Variants, b.NewVariant)
		}
		if b.Unknown != "" {
			lines = append(lines, fmt.Sprintf("Which functions changed%s is not known: %s.", in, b.Unknown))
		}
		if len(b.Functions) > 0 {
			lines = append(lines, changedLine(b.Functions, in))
		}
		if len(b.Elsewhere) > 0 {
			lines = append(lines, fmt.Sprintf("Changed%s, but in no program of this comparison: %s.", in, words.List(b.Elsewhere)))
		}
		if text := production(b); text != "" && len(b.Functions) > 0 {
			lines = append(lines, text)
		}
	}
	return lines
}

func changedLine(left []result.Seen, in string) string {
	line := words.Plural(len(left), "function") + " changed" + in
	take := func(of func(f *result.Seen) bool) (taken []string) {
		var others []result.Seen
		for _, f := range left {
			if of(&f) {
				taken = append(taken, words.Symbol(f.Name))
			} else {
				others = append(others, f)
			}
		}
		left = others
		return taken
	}
	var seen []string
	sees, more := 0, ""
	for _, size := range blindSizes {
		n := len(take(func(f *result.Seen) bool { return f.Sees(size) }))
		if n > 0 {
			seen = append(seen, fmt.Sprintf("of %s in %d%s", words.Percent(size), n, more))
		}
		if sees += n; sees > 0 {
			more = " more"
		}
	}
	if least := "of " + words.Percent(blindSizes[0]) + " in "; sees > 0 && !strings.HasPrefix(seen[0], least) {
		seen = slices.Insert(seen, 0, least+"none")
	}
	// A function without a sample may be too rare for any slowdown to be seen.
	if n := len(take(func(f *result.Seen) bool { return f.Smallest != nil || f.Samples > 0 && len(f.Benchmarks) == 0 })); n > 0 {
		seen = append(seen, fmt.Sprintf("of more than %s, if any, in %d", words.Percent(blindSizes[len(blindSizes)-1]), n))
	}
	none, unknown := take(unseen), len(left)
	how := fmt.Sprintf("in %d: %s", len(none), words.List(none))
	switch {
	case len(seen) > 0:
		seen[0] = strings.Replace(seen[0], " in ", " would have been seen in ", 1)
		line += ". A slowdown " + strings.Join(seen, ", ")
		if unknown > 0 {
			line += fmt.Sprintf(", not known in %d", unknown)
		}
		if len(none) > 0 {
			line += ", not at all " + how
		}
	case len(none) > 0:
		line += ". No slowdown would have been seen " + how
		if unknown > 0 {
			line += fmt.Sprintf(", not known in %d", unknown)
		}
	case unknown > 0:
		line += ". Which slowdown would have been seen is not known"
	}
	return line + "."
}

// unseen reports whether no slowdown of a function would have been seen: no
// benchmark leads to it.
func unseen(f *result.Seen) bool { return f.Reached == 0 }

// blind counts the functions of which no slowdown would have been seen, and the
// packages elsewhere. It is nil if that is not known.
func (d Document) blind() *int {
	if len(d.Comparison.Blind) == 0 {
		return nil
	}
	n := 0
	for _, b := range d.Comparison.Blind {
		if b.Unknown != "" {
			return nil
		}
		for i := range b.Functions {
			if unseen(&b.Functions[i]) {
				n++
			}
		}
		n += len(b.Elsewhere)
	}
	return &n
}

func production(b result.Blind) string {
	p := b.Production
	if p == nil {
		return ""
	}
	text := fmt.Sprintf("The changed functions take %s of the CPU time in %s", unit.Percent(b.Weight), filepath.Base(p.File))
	if b.Weight > 0 {
		text += fmt.Sprintf("; benchmarks cover %s of it", strings.TrimSuffix(unit.Percent(b.Covered), "%"))
	}
	if w := b.Worth; w != nil {
		d := unit.ChangeDigits(w.Lo, w.Hi)
		text += fmt.Sprintf("; the measured changes are worth %s (%s) of it", unit.SignedPercent(w.Center, d), words.Range(w.Lo, w.Hi))
	}
	if p.Matched < 0.99 {
		text += fmt.Sprintf("; %s of its time is in code of other packages", unit.Percent(1-p.Matched))
	}
	return text + "."
}

func blindColumns(b result.Blind) []*column {
	name, place := &column{header: "changed function", parts: "l"}, &column{header: "at", parts: "l"}
	share, in := &column{header: "share", parts: "rl", headerRight: true}, &column{header: "of", parts: "l"}
	size, weight := &column{header: "seen from", parts: "l"}, &column{header: "production", parts: "r", headerRight: true}
	all := []*column{name, place, share, in, size, weight}
	for i := range b.Functions {
		f := &b.Functions[i]
		name.add(plainStyle, words.Printable(words.Symbol(f.Name)))
		place.add(plainStyle, words.Printable(fmt.Sprintf("%s:%d", f.File, f.Line)))
		if len(f.Benchmarks) > 0 {
			s := f.Benchmarks[0].Share
			share.add(plainStyle, words.Share(s.Center), fmt.Sprintf(" (%s … %s)", strings.TrimSuffix(words.Share(s.Lo), "%"), words.Share(s.Hi)))
		}
		in.add(plainStyle, reachedBy(f))
		size.add(plainStyle, seenFrom(f))
		if f.Weight != nil {
			weight.add(plainStyle, words.Share(f.Weight.Total))
		}
		pad(all)
	}
	return all
}

// reachedBy names the benchmarks of a function, first those that see it.
func reachedBy(f *result.Seen) string {
	var keys []result.Key
	for _, b := range f.Benchmarks {
		keys = append(keys, b.Key)
	}
	for _, k := range f.ReachedBy {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	names := make([]string, max(f.Reached, len(keys)))
	for i, k := range keys {
		names[i] = words.Printable(words.RowName(k, ""))
	}
	return words.List(names)
}

// seenFrom is the smallest slowdown of a function that would have been seen, or why
// there is none.
func seenFrom(f *result.Seen) (text string) {
	switch {
	case f.Smallest != nil:
		text = fmt.Sprintf("+%s … %s", strings.TrimSuffix(unit.Percent(f.Smallest.Lo), "%"), unit.Percent(f.Smallest.Hi))
	case len(f.Benchmarks) > 0:
		text = "no interval yet"
	case f.Samples > 0:
		text = fmt.Sprintf("in none of %s", words.Plural(f.Samples, "sample"))
	case f.Reached > 0:
		text = "not profiled"
	case f.By == result.ByStart:
		text = "nothing: only init or TestMain calls it"
	case f.Never && f.By == result.ByTest:
		text = "nothing: only tests call it"
	case f.Never:
		text = "nothing: no benchmark calls it"
	default:
		text = "nothing: no benchmark runs code of it"
	}
	if f.Allocates {
		text += "; allocates more"
	}
	return text
}

func (t *textWriter) blind(d Document) {
	if t.o.Verbose {
		for _, b := range d.Comparison.Blind {
			if len(b.Functions) == 0 {
				continue
			}
			all := blindColumns(b)
			name, at, in := all[0], all[1], all[3]
			at.used = at.used && t.over(all) <= 0
			for _, c := range []*column{name, in} {
				if over := t.over(all); over > 0 {
					c.limit(max(16, c.width()-over))
				}
			}
			t.line("")
			grid(&t.b, all, t.o.Color)
			t.line("")
		}
	}
	for _, line := range d.BlindLines() {
		t.line(wrap(words.Printable(line), t.o.Width, "  "))
	}
}

func markdownBlind(d Document) string {
	var b strings.Builder
	for _, line := range d.BlindLines() {
		io.WriteString(&b, escape(line)+"\n\n")
	}
	for _, one := range d.Comparison.Blind {
		if len(one.Functions) == 0 {
			continue
		}
		b.WriteString(details(words.Plural(len(one.Functions), "changed function"), strings.Join(markdownTable(blindColumns(one)), "")))
	}
	return b.String()
}

// BlindCells returns the heads and texts of the table of changed functions.
func BlindCells(b result.Blind) (head []string, rows [][]string) { return textsOf(blindColumns(b)) }
