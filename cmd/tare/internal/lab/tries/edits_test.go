//go:build lab

package tries

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// code is the state of a generated module: what an edit changes.
type code struct {
	// order is the order of the functions in their files. file is the number
	// of each function's file.
	order, file []int
	// style chooses one of two ways to write each function.
	style []bool
	// dead are functions that nothing calls, words the comment of the package.
	dead  int
	words int
	// steps is the work of an operation. Its time is proportional to steps,
	// except for the rest of the functions.
	steps int
}

// module is one of the generated modules: functions, each written in two ways, and
// the benchmarks that call them. %d is the number of steps.
type module struct {
	name      string
	functions [][2]string
	test      string
}

const firstSteps = 4000

func newCode(m module) code {
	n := len(m.functions)
	c := code{order: make([]int, n), file: make([]int, n), style: make([]bool, n), steps: firstSteps}
	for i := range n {
		c.order[i] = i
	}
	return c
}

// files renders the module.
func (c code) files(m module) map[string]string {
	files := map[string]string{
		"go.mod": "module example.com/" + m.name + "\n\ngo 1.24\n", "m_test.go": m.test,
		".gitignore": "*.out\n",
	}
	var text [2]strings.Builder
	for i := range text {
		fmt.Fprintf(&text[i], "package m\n\n// Word %d.\n\n", c.words)
	}
	for _, f := range c.order {
		way := 0
		if c.style[f] {
			way = 1
		}
		text[c.file[f]].WriteString(strings.ReplaceAll(m.functions[f][way], "STEPS", fmt.Sprint(c.steps)) + "\n")
	}
	for i := range c.dead {
		fmt.Fprintf(&text[0], "// Unused%d is for later.\nfunc Unused%d(x int) int { return x*%d + 1 }\n\n", i, i, i+3)
	}
	files["a.go"], files["b.go"] = text[0].String(), text[1].String()
	return files
}

// edit is a change with its true gain, as a share of the steps. The gain is 0 if
// the edit only moves or rewrites code.
type edit struct {
	kind string
	gain float64
}

// kinds are the kinds of edits without effect. The last two leave the machine code
// as it is.
var kinds = []string{"reorder", "move", "rewrite", "unused", "comment"}

// draw makes one random edit of the code. One in so many is faster by 1 to 6%.
func draw(r *rand.Rand, c code, faster int) (code, edit) {
	if r.IntN(faster) == 0 {
		return change(r, c, "faster")
	}
	return change(r, c, kinds[r.IntN(len(kinds))])
}

// change makes an edit of one kind.
func change(r *rand.Rand, c code, kind string) (code, edit) {
	c.order, c.file, c.style = slices.Clone(c.order), slices.Clone(c.file), slices.Clone(c.style)
	i, j := r.IntN(len(c.order)), r.IntN(len(c.order))
	gain := 0.0
	switch kind {
	case "reorder":
		c.order[i], c.order[j] = c.order[j], c.order[i]
	case "move":
		c.file[i] = 1 - c.file[i]
	case "rewrite":
		c.style[i] = !c.style[i]
	case "unused":
		c.dead++
	case "comment":
		c.words++
	case "faster":
		before := float64(c.steps)
		c.steps = int(before*(0.94+0.05*r.Float64()) + 0.5)
		gain = 1 - float64(c.steps)/before
	}
	return c, edit{kind, gain}
}

var modules = []module{
	{"tokens", [][2]string{
		{"func Mix(x uint64) uint64 {\n\tfor i := 0; i < STEPS; i++ {\n\t\tx = x*6364136223846793005 + 1442695040888963407\n\t}\n\treturn x\n}\n",
			"func Mix(x uint64) uint64 {\n\tfor range STEPS {\n\t\tx *= 6364136223846793005\n\t\tx += 1442695040888963407\n\t}\n\treturn x\n}\n"},
		{"func Words(s string) (n int) {\n\tin := false\n\tfor i := 0; i < len(s); i++ {\n\t\tletter := s[i] != ' '\n\t\tif letter && !in {\n\t\t\tn++\n\t\t}\n\t\tin = letter\n\t}\n\treturn n\n}\n",
			"func Words(text string) (count int) {\n\tinside := false\n\tfor _, b := range []byte(text) {\n\t\tif b == ' ' {\n\t\t\tinside = false\n\t\t\tcontinue\n\t\t}\n\t\tif !inside {\n\t\t\tcount++\n\t\t}\n\t\tinside = true\n\t}\n\treturn count\n}\n"},
		{"func Digits(s string) (n int) {\n\tfor _, r := range s {\n\t\tif r >= '0' && r <= '9' {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n\n}\n",
			"func Digits(s string) int {\n\tn := 0\n\tfor _, r := range s {\n\t\tswitch {\n\t\tcase r < '0', r > '9':\n\t\tdefault:\n\t\t\tn++\n\t\t}\n\t}\n\treturn n\n}\n"},
		{"func Scan(s string) uint64 {\n\treturn Mix(uint64(Words(s) + Digits(s)))\n}\n",
			"func Scan(s string) uint64 {\n\tn := Words(s)\n\tn += Digits(s)\n\treturn Mix(uint64(n))\n}\n"},
	}, "package m\n\nimport \"testing\"\n\nvar sink uint64\n\nfunc BenchmarkScan(b *testing.B) {\n\tfor range b.N {\n\t\tsink = Scan(\"the 1st of 20 words in a line of text\")\n\t}\n}\n"},
	{"varint", [][2]string{
		{"func Put(b []byte, x uint64) []byte {\n\tfor x >= 0x80 {\n\t\tb = append(b, byte(x)|0x80)\n\t\tx >>= 7\n\t}\n\treturn append(b, byte(x))\n}\n",
			"func Put(buf []byte, v uint64) []byte {\n\tfor ; v > 0x7f; v >>= 7 {\n\t\tbuf = append(buf, byte(v)|0x80)\n\t}\n\treturn append(buf, byte(v))\n}\n"},
		{"func Get(b []byte) (x uint64, n int) {\n\tfor shift := 0; n < len(b); shift += 7 {\n\t\tc := b[n]\n\t\tn++\n\t\tx |= uint64(c&0x7f) << shift\n\t\tif c < 0x80 {\n\t\t\tbreak\n\t\t}\n\t}\n\treturn x, n\n}\n",
			"func Get(b []byte) (uint64, int) {\n\tvar x uint64\n\tfor i, c := range b {\n\t\tx |= uint64(c&0x7f) << (7 * i)\n\t\tif c < 0x80 {\n\t\t\treturn x, i + 1\n\t\t}\n\t}\n\treturn x, len(b)\n}\n"},
		{"func Round(b []byte) (sum uint64) {\n\tfor i := uint64(0); i < STEPS; i++ {\n\t\tx, _ := Get(Put(b[:0], sum&0x3fff|0x2000))\n\t\tsum += x\n\t}\n\treturn sum\n}\n",
			"func Round(b []byte) uint64 {\n\tvar sum uint64\n\tfor range STEPS {\n\t\tb = Put(b[:0], sum&0x3fff|0x2000)\n\t\tx, _ := Get(b)\n\t\tsum += x\n\t}\n\treturn sum\n}\n"},
	}, "package m\n\nimport \"testing\"\n\nvar sink uint64\n\nfunc BenchmarkRound(b *testing.B) {\n\tbuf := make([]byte, 0, 16)\n\tfor range b.N {\n\t\tsink = Round(buf)\n\t}\n}\n"},
}
