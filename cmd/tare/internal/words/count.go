package words

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// Plural formats a number of things.
func Plural(n int, word string) string {
	return finding.Count("", n, word).String()
}

// Samples formats the number of values of each variant that has any.
func Samples(old, new int) string {
	switch {
	case old == 0 && new == 0:
		return ""
	case old == 0 || old == new:
		return fmt.Sprint(new)
	}
	return fmt.Sprintf("%d+%d", old, new)
}

// List names up to three subjects and counts the rest.
func List(subjects []string) string {
	const most = 3
	if len(subjects) <= most {
		return strings.Join(subjects, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(subjects[:most], ", "), len(subjects)-most)
}

// Config formats a configuration on one line.
func Config(config map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(config)) {
		parts = append(parts, k+": "+config[k])
	}
	return strings.Join(parts, ", ")
}

// Shell quotes a command for a POSIX shell. It escapes invisible characters,
// which changes the word but hides nothing, and quotes an @ that would mention
// someone in a comment.
func Shell(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		w = Printable(w)
		if w != "" && w[0] != '@' && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%") == "" {
			words[i] = w
		} else {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// Again returns a typed command line with more flags, before what follows "--". They
// replace earlier ones, but a line that has -resume keeps it.
func Again(command []string, flags ...string) string {
	args := slices.Clone(command)
	if len(args) > 0 {
		args[0] = filepath.Base(args[0])
	}
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	if len(flags) > 0 && flags[0] == "-resume" && slices.Contains(args[:end], "-resume") {
		flags = flags[2:]
	}
	for i, f := range flags[:max(0, len(flags)-1)] {
		if strings.HasPrefix(f, "-") && !strings.HasPrefix(flags[i+1], "-") {
			args, end = without(args, end, f)
		}
	}
	return Shell(slices.Insert(args, end, flags...))
}

// without removes a flag that has a value from the first words of a line.
func without(args []string, end int, flag string) (rest []string, left int) {
	for i := 0; i < end; i++ {
		name, _, joined := strings.Cut(args[i], "=")
		switch {
		case "-"+strings.TrimLeft(name, "-") != flag || !strings.HasPrefix(name, "-"):
			rest = append(rest, args[i])
		case !joined:
			i++
		}
	}
	return append(rest, args[end:]...), len(rest)
}

// Counted is the number of benchmarks with a verdict, and the word for it.
type Counted struct {
	Verdict result.Verdict
	N       int
	Word    string
}

// String returns the count in words: "2 slower".
func (c Counted) String() string { return fmt.Sprintf("%d %s", c.N, c.Word) }

// Counts lists the verdicts that occur, the most important first. The word is
// the one of the unit, or better and worse if units differ.
func Counts(c *result.Comparison) []Counted {
	s := c.Summary
	all := []Counted{
		{result.Failed, s.Failed, ""}, {result.Slower, s.Slower, "worse"}, {result.Faster, s.Faster, "better"}, {result.Different, s.Changed, ""},
		{result.Undecided, s.Undecided, ""}, {result.NotReached, s.NotReached, ""}, {result.Same, s.Same - s.SameCode, ""},
		{result.Skipped, s.Skipped, ""}, {result.Missing, s.Missing, ""},
	}
	for i := range all {
		all[i].Word = commonWord(c, all[i].Verdict, all[i].Word)
	}
	return slices.DeleteFunc(all, func(c Counted) bool { return c.N == 0 })
}

func commonWord(c *result.Comparison, v result.Verdict, general string) string {
	word := ""
	for i := range c.Benchmarks {
		if b := &c.Benchmarks[i]; b.Primary && b.Verdict == v {
			if word != "" && word != Word(b) {
				return general
			}
			word = Word(b)
		}
	}
	return cmp.Or(word, string(v))
}

// Tally counts verdicts, "1 slower, 2 same", and benchmarks that were not
// measured: "1 slower, 2 same; 3 measured, 146 same code".
func Tally(c *result.Comparison) string {
	tally := join(Counts(c))
	if c.Summary.SameCode == 0 {
		return tally
	}
	if tally != "" {
		tally += "; "
	}
	return tally + SameCode(c.Summary)
}

// Open counts the benchmarks without an answer: "1 undecided, 2 not reached".
func Open(c *result.Comparison) string {
	return join(slices.DeleteFunc(Counts(c), func(n Counted) bool { return n.Verdict != result.Undecided && n.Verdict != result.NotReached }))
}

func join(all []Counted) string {
	var parts []string
	for _, n := range all {
		parts = append(parts, n.String())
	}
	return strings.Join(parts, ", ")
}

// SameCode counts the measured benchmarks and those with the same code: "14
// measured, 146 same code".
func SameCode(s result.Summary) string {
	return fmt.Sprintf("%d measured, %d same code", s.Faster+s.Slower+s.Changed+s.Same+s.Undecided+s.Failed-s.SameCode, s.SameCode)
}

// MeanName names a geometric mean. Rows with a value of zero are in none.
func MeanName(g *result.GeoMean, rows int) string {
	if g.N == rows {
		return "geometric mean"
	}
	return fmt.Sprintf("geometric mean of %d", g.N)
}
