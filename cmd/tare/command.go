package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

type command struct {
	name, summary, arguments, description string
	heading                               string // of its group in the help
	hidden                                bool
	flags                                 []*option
	verbs                                 []*command
	parent                                *command
	run                                   func(context.Context, *command) error

	// The command line.
	args []string // arguments that are not flags, and all after "--"
	dash int      // the number of arguments before "--"
	set  *flag.FlagSet
}

// option is a flag. Its value is the default: a string, bool, int, uint64,
// time.Duration, []string for a flag that may be repeated, or a flag.Getter.
type option struct {
	name        string
	value       any
	text        string
	hidden      bool
	hideDefault bool
}

func (c *command) path() string {
	if c.parent == nil {
		return c.name
	}
	return c.parent.path() + " " + c.name
}

func (c *command) root() *command {
	if c.parent == nil {
		return c
	}
	return c.parent.root()
}

func (c *command) find(words []string) (*command, []string) {
	for _, v := range c.verbs {
		if len(words) > 0 && v.name == words[0] {
			v.parent = c
			return v.find(words[1:])
		}
	}
	return c, words
}

// parse reads the command line after the name of the command. Flags may appear
// anywhere before "--".
func (c *command) parse(words []string) error {
	c.set = flag.NewFlagSet(c.name, flag.ContinueOnError)
	c.set.SetOutput(io.Discard)
	for of := c; of != nil; of = of.parent { // verbs of history also have its flags
		for _, o := range of.flags {
			if c.set.Lookup(o.name) == nil {
				o.define(c.set)
			}
		}
	}
	var after []string
	if i := slices.Index(words, "--"); i >= 0 {
		words, after = words[:i], words[i+1:]
	}
	for {
		if err := c.set.Parse(words); err != nil {
			return err
		}
		if c.set.NArg() == 0 {
			break
		}
		c.args, words = append(c.args, c.set.Arg(0)), c.set.Args()[1:]
	}
	c.dash, c.args = len(c.args), append(c.args, after...)
	return nil
}

// split separates the arguments after "--", which go to the test binary.
func (c *command) split() (args, after []string) { return c.args[:c.dash], c.args[c.dash:] }

func (o *option) define(set *flag.FlagSet) {
	switch v := o.value.(type) {
	case string:
		set.String(o.name, v, o.text)
	case bool:
		set.Bool(o.name, v, o.text)
	case int:
		set.Int(o.name, v, o.text)
	case uint64:
		set.Uint64(o.name, v, o.text)
	case time.Duration:
		set.Duration(o.name, v, o.text)
	case []string:
		set.Var(&repeated{}, o.name, o.text)
	case flag.Getter:
		set.Var(v, o.name, o.text)
	}
}

// repeated is the value of a flag that may be repeated. It is not split at
// commas, which a variant may contain.
type repeated struct{ values []string }

func (r *repeated) Get() any       { return r.values }
func (r *repeated) String() string { return "" }

func (r *repeated) Set(text string) error {
	r.values = append(r.values, text)
	return nil
}

// value returns the value of a flag, or zero if the command does not have it.
func value[T any](c *command, name string) (v T) {
	if f := c.set.Lookup(name); f != nil {
		v, _ = f.Value.(flag.Getter).Get().(T)
	}
	return v
}

func (c *command) text(name string) string            { return value[string](c, name) }
func (c *command) texts(name string) []string         { return value[[]string](c, name) }
func (c *command) is(name string) bool                { return value[bool](c, name) }
func (c *command) number(name string) int             { return value[int](c, name) }
func (c *command) duration(name string) time.Duration { return value[time.Duration](c, name) }

func (c *command) given() (names []string) {
	c.set.Visit(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

func (c *command) isGiven(name string) bool { return slices.Contains(c.given(), name) }

func (c *command) execute(ctx context.Context, words []string, out io.Writer) error {
	if n := len(words) - 1; n >= 0 && words[n] == completionMark {
		c.complete(out, words[:n])
		return nil
	}
	words, all := helpAll(words)
	asked := len(words) > 0 && words[0] == "help"
	if asked {
		words = words[1:]
	}
	of, words := c.find(words)
	err := of.parse(words)
	switch {
	case err != nil && !errors.Is(err, flag.ErrHelp):
		return asUsage(of.explainFlag(err))
	case err == nil && len(of.verbs) > 0 && len(of.args) > 0:
		return asUsage(of.unknownVerb(of.args[0]))
	case err != nil || asked || of.run == nil:
		_, err := io.WriteString(out, of.help(all))
		return err
	}
	return of.run(ctx, of)
}

func helpAll(words []string) (rest []string, all bool) {
	isHelp := func(word string) bool { return slices.Contains([]string{"-help", "--help", "-h", "help"}, word) }
	isAll := func(word string) bool { return word == "-all" || word == "--all" }
	if !slices.ContainsFunc(words, isHelp) || !slices.ContainsFunc(words, isAll) {
		return words, false
	}
	return slices.DeleteFunc(slices.Clone(words), isAll), true
}

const completionMark = "--generate-shell-completion"

// complete proposes completions of the last word, as "name:text" lines. A word
// that begins with a dash is a flag. Otherwise it proposes verbs, and the shell
// adds files.
func (c *command) complete(w io.Writer, words []string) {
	word := ""
	if n := len(words) - 1; n >= 0 {
		words, word = words[:n], words[n]
	}
	of, _ := c.find(words)
	if !strings.HasPrefix(word, "-") {
		for _, v := range of.verbs {
			if !v.hidden {
				fmt.Fprintf(w, "%s:%s\n", v.name, v.summary)
			}
		}
		return
	}
	listed, _ := of.listedFlags()
	for _, f := range append(listed, item{name: "help", text: "the help"}) {
		if strings.HasPrefix(f.name, strings.TrimLeft(word, "-")) {
			fmt.Fprintf(w, "-%s:%s\n", f.name, f.text)
		}
	}
}

var completions = map[string]string{
	"bash": `_tare() {
  local IFS=$'\n' words=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
  COMPREPLY=($(compgen -W "$("${words[@]}" ` + completionMark + ` 2>/dev/null | cut -d: -f1)" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o bashdefault -o default -F _tare tare
`,
	"zsh": `#compdef tare
_tare() {
  local -a opts=("${(@f)$("${words[@]:0:$CURRENT}" ` + completionMark + ` 2>/dev/null)}")
  if [[ -n "${opts[1]}" ]]; then _describe tare opts; else _files; fi
}
compdef _tare tare
`,
	"fish": `complete -c tare -a '((commandline -opc) (commandline -ct) ` + completionMark + ` 2>/dev/null | string replace : \t)'
`,
}

func completionCommand(s streams) *command {
	return &command{name: "completion", arguments: "bash|zsh|fish", hidden: true, summary: "print a script that completes command lines: source <(tare completion bash)",
		run: func(_ context.Context, c *command) error {
			script, ok := completions[strings.Join(c.args, " ")]
			if !ok {
				return usagef("completion is for bash, zsh or fish: source <(tare completion bash)")
			}
			_, err := io.WriteString(s.out, script)
			return err
		}}
}
