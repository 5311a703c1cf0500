package main

import (
	"cmp"
	"regexp"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/usage"
)

// removed names the replacement of each verb ("smoke"), flag ("-count-cycles",
// or "bisect -of" for one verb) and format ("format png") that tare no longer
// has.
var removed = map[string]string{
	"-count-cycles":           "use -count-instructions, or -counters where the machine has a PMU",
	"format bencher":          "make it from -format json",
	"format github-benchmark": "make it from -format json",
	"format openmetrics":      "make it from -format json",
	"format png":              "write -o x.svg and convert it: rsvg-convert x.svg -o x.png",
}

// removedError is the error of something that was removed, nil if it was not.
func removedError(name string) error {
	if replacement, ok := removed[name]; ok {
		return usagef("%s was removed: %s", name, replacement)
	}
	return nil
}

var unknownFlag = regexp.MustCompile(`^unknown flag -([^ :;,]+).* see tare (.*) -help$`)

// flagError is the error of a wrong flag.
func flagError(err error) error {
	if m := unknownFlag.FindStringSubmatch(err.Error()); m != nil {
		if gone := cmp.Or(removedError(m[2]+" -"+m[1]), removedError("-"+m[1])); gone != nil {
			return gone
		}
	}
	return asUsage(err)
}

// unknownVerb is the error of a verb that tare does not have.
func unknownVerb(c *cli.Command, name string) error {
	if err := removedError(name); err != nil {
		return err
	}
	return asUsage(usage.UnknownVerb(c, name))
}
