package bisect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/attempt"
	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// The hunks of a change are a series too: the old code, and then one hunk more at
// each point, up to the new code. Each point is a commit that no branch names, so
// that it is built and measured like any other. The order of the hunks lets most
// points build: new declarations come first and removed ones last, and the
// imports of a file follow their use. Tests are the same at all points.

// hunk is a part of the change that is applied whole: a hunk of git diff, or a
// file that is new, removed or not text.
type hunk struct {
	file string
	// old is the number of the first old line that it replaces, from 1, and count
	// the number of these lines. lines are the new ones, and new is the number of
	// the first.
	old, count, new int
	lines           []string
	// whole is the line of git update-index for the new file. It is empty for a part
	// of a file.
	whole string
	point result.Point
	// stage orders hunks: see stageOf.
	stage int
}

type patch struct {
	trees *attempt.Trees
	base  string
	hunks []hunk
	files map[string]divided
	made  map[string]string // commits, by their hunks
}

// divided is a file that has parts.
type divided struct {
	content [2]string // the old and the new
	entry   string    // the line of git update-index for the new content
	parts   int
}

// hunksBetween lists the series of the hunks between two revisions. The new one may be
// the working tree. The tests of all points are those of the new one, or of the
// old one if ofOld is set.
func hunksBetween(ctx context.Context, dir string, old, new build.Spec, ofOld bool) (points []result.Point, err error) {
	if keys(old.Label) != keys(new.Label) {
		return nil, fmt.Errorf("bisect hunks: %s and %s differ in more than the revision: give both the same keys", old.Label, new.Label)
	}
	trees, err := attempt.OpenTrees(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("bisect hunks: %w", err)
	}
	defer trees.Close()
	from, err := trees.Commit(ctx, old.Revision)
	if err != nil {
		return nil, fmt.Errorf("bisect hunks: %w", err)
	}
	var to string
	if new.Revision == build.WorkingTree {
		if to, err = trees.Snapshot(ctx); err == nil {
			to, err = trees.Keep(ctx, to, from, "the working tree")
		}
	} else {
		to, err = trees.Commit(ctx, new.Revision)
	}
	if err != nil {
		return nil, fmt.Errorf("bisect hunks: %w", err)
	}
	if ofOld { // both ends get the same tests
		to, err = tests(ctx, trees, from, to)
	} else {
		from, err = tests(ctx, trees, to, from)
	}
	if err != nil {
		return nil, fmt.Errorf("bisect hunks: %w", err)
	}
	c, err := openPatch(ctx, trees, from, to)
	if err != nil {
		return nil, fmt.Errorf("bisect hunks: %w", err)
	}
	if len(c.hunks) == 0 {
		return nil, fmt.Errorf("bisect hunks: %s and %s differ in no file except tests", old.Label, new.Label)
	}
	points = append(points, result.Point{Variant: from + keys(new.Label), Name: old.Label})
	var with []int
	for i, h := range c.hunks {
		with = append(with, i)
		at, err := c.commit(ctx, with)
		if err != nil {
			return nil, fmt.Errorf("bisect hunks: %w", err)
		}
		h.point.Variant = at + keys(new.Label)
		points = append(points, h.point)
	}
	return points, nil
}

// tests returns the commit of target with the tests of source.
func tests(ctx context.Context, trees *attempt.Trees, source, target string) (string, error) {
	files, err := trees.Differ(ctx, target, source)
	if err != nil {
		return "", err
	}
	var entries []string
	for _, f := range files {
		if isTest(f.Name) {
			entries = append(entries, f.Entry)
		}
	}
	return trees.With(ctx, target, entries)
}

func isTest(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.Contains("/"+name, "/testdata/")
}

func openPatch(ctx context.Context, trees *attempt.Trees, from, to string) (*patch, error) {
	c := &patch{trees: trees, base: from, files: make(map[string]divided), made: make(map[string]string)}
	differ, err := trees.Differ(ctx, from, to)
	if err != nil {
		return nil, err
	}
	modules := hunk{stage: 0}
	for _, f := range differ {
		switch {
		case isTest(f.Name):
		case path.Base(f.Name) == "go.mod" || path.Base(f.Name) == "go.sum": // one without the other does not build
			modules.file, modules.whole = f.Name, modules.whole+f.Entry
		default:
			if err := c.add(ctx, f, from, to); err != nil {
				return nil, err
			}
		}
	}
	if modules.whole != "" {
		modules.point = result.Point{Name: modules.file, Title: "the module's requirements"}
		c.hunks = append(c.hunks, modules)
	}
	slices.SortStableFunc(c.hunks, func(a, b hunk) int { return a.stage - b.stage })
	return c, nil
}

func (c *patch) add(ctx context.Context, f attempt.File, from, to string) error {
	text, err := c.trees.Diff(ctx, from, to, f.Name)
	if err != nil {
		return err
	}
	parts := parseHunks(f.Name, text)
	if !f.Modified || len(parts) == 0 { // new, removed, another mode, or not text
		h := hunk{file: f.Name, whole: f.Entry, stage: 1, point: result.Point{Name: f.Name, Diff: text}}
		switch {
		case f.Added:
			h.stage, h.point.Title = 0, "new file"
		case f.Removed:
			h.stage, h.point.Title = 2, "removed file"
		}
		c.hunks = append(c.hunks, h)
		return nil
	}
	before, err := c.trees.Content(ctx, from, f.Name)
	if err != nil {
		return err
	}
	after, err := c.trees.Content(ctx, to, f.Name)
	if err != nil {
		return err
	}
	c.files[f.Name] = divided{[2]string{before, after}, f.Entry, len(parts)}
	c.hunks = append(c.hunks, parts...)
	return nil
}

// hunkHead is the first line of a hunk: the old and the new lines, and the
// function around it.
var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)`)

func parseHunks(file, diff string) (all []hunk) {
	for line := range strings.Lines(diff) {
		if m := hunkHead.FindStringSubmatch(line); m != nil {
			h := hunk{file: file}
			h.old, _ = strconv.Atoi(m[1])
			h.count = 1
			if m[2] != "" {
				h.count, _ = strconv.Atoi(m[2])
			}
			if h.count == 0 { // after this line
				h.old++
			}
			h.new, _ = strconv.Atoi(m[3])
			h.point = result.Point{Title: strings.TrimSpace(m[5]), Diff: line}
			all = append(all, h)
			continue
		}
		if len(all) == 0 {
			continue // the heading of the file
		}
		h := &all[len(all)-1]
		h.point.Diff += line
		if h.point.Name == "" && strings.HasPrefix(line[1:], "func ") { // nearer than the one of the heading
			h.point.Title = strings.TrimSpace(line[1:])
		}
		if line[0] != ' ' && h.point.Name == "" { // of its first change
			h.point.Name = fmt.Sprintf("%s:%d", file, h.new+len(h.lines))
		}
		switch line[0] {
		case ' ', '+':
			h.lines = append(h.lines, line[1:])
		case '\\': // no newline at the end of the file
			if n := len(h.lines); n > 0 && !strings.HasPrefix(lastLine(h.point.Diff[:len(h.point.Diff)-len(line)]), "-") {
				h.lines[n-1] = strings.TrimSuffix(h.lines[n-1], "\n")
			}
		}
	}
	for i := range all {
		all[i].stage = stageOf(all[i].point.Diff)
	}
	return all
}

func lastLine(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

var declaration = regexp.MustCompile(`^[+-](func|type|var|const)\b`)

// stageOf is 0 for a hunk that only adds declarations, 2 for one that only
// removes them, and 1 for any other.
func stageOf(diff string) int {
	added, removed, first := false, false, ""
	for line := range strings.Lines(diff) {
		switch {
		case strings.TrimSpace(line[1:]) == "":
			continue
		case line[0] == '+':
			added = true
		case line[0] == '-':
			removed = true
		default:
			continue
		}
		if text := strings.TrimSpace(line[1:]); first == "" && !strings.HasPrefix(text, "//") {
			first = line
		}
	}
	switch {
	case !declaration.MatchString(first) || added && removed:
		return 1
	case added:
		return 0
	}
	return 2
}

func (c *patch) commit(ctx context.Context, with []int) (string, error) {
	id := fmt.Sprint(slices.Sorted(slices.Values(with)))
	if at := c.made[id]; at != "" {
		return at, nil
	}
	var entries []string
	parts := make(map[string][]hunk)
	for _, i := range with {
		if h := c.hunks[i]; h.whole != "" {
			entries = append(entries, h.whole)
		} else {
			parts[h.file] = append(parts[h.file], h)
		}
	}
	for file, some := range parts {
		of := c.files[file]
		entry := of.entry
		if len(some) < of.parts {
			var err error
			if entry, err = c.trees.Write(ctx, entry, compose(file, of.content, some)); err != nil {
				return "", err
			}
		}
		entries = append(entries, entry)
	}
	at, err := c.trees.With(ctx, c.base, entries)
	if err == nil {
		c.made[id] = at
	}
	return at, err
}

// compose is the old content of a file with some hunks. The imports of a Go file
// follow their use.
func compose(file string, content [2]string, some []hunk) string {
	some = slices.SortedFunc(slices.Values(some), func(a, b hunk) int { return a.old - b.old })
	var out bytes.Buffer
	lines := slices.Collect(strings.Lines(content[0]))
	next := 1 // the next old line
	for _, h := range some {
		for ; next < h.old; next++ {
			out.WriteString(lines[next-1])
		}
		for _, l := range h.lines {
			out.WriteString(l)
		}
		next += h.count
	}
	for ; next <= len(lines); next++ {
		out.WriteString(lines[next-1])
	}
	if strings.HasSuffix(file, ".go") {
		return withImports(out.String(), content[0], content[1])
	}
	return out.String()
}

// regroup is another series of the hunks of a step between which no point
// builds. It adds each hunk that builds without those that follow, in any order,
// and the others at once.
func (p *sessionProber) regroup(ctx context.Context, c culprit, point func(string, []int) (result.Point, error)) ([]result.Point, error) {
	var with, rest []int
	for i := range c.Commit {
		if i < c.Parent {
			with = append(with, i)
		} else {
			rest = append(rest, i)
		}
	}
	points := []result.Point{p.points[c.Parent]}
	for tried := 0; tried < len(rest) && len(rest) > 1; {
		h := rest[0]
		next, err := point("", append(slices.Clone(with), h))
		if err != nil {
			return nil, err
		}
		next.Name, next.Title, next.Diff = p.points[h+1].Name, p.points[h+1].Title, p.points[h+1].Diff
		pair := &sessionProber{spec: p.spec, points: []result.Point{points[len(points)-1], next}, series: "build " + next.Variant, shared: p.shared}
		_, err = pair.SameCode(ctx, 0, 1)
		switch _, broken := errors.AsType[*brokenError](err); {
		case broken:
			rest, tried = append(rest[1:], h), tried+1
		case err != nil:
			return nil, err
		default:
			points, with, rest, tried = append(points, next), append(with, h), rest[1:], 0
		}
	}
	last := p.points[c.Commit]
	var names []string
	for i, h := range slices.Sorted(slices.Values(rest)) {
		names = append(names, p.points[h+1].Name)
		if i == 0 {
			last.Title, last.Diff = p.points[h+1].Title, ""
		}
		last.Diff += p.points[h+1].Diff
	}
	last.Name = strings.Join(names, ", ")
	if len(names) > 1 {
		last.Title = "which do not build apart"
	}
	return append(points, last), nil
}

// hunkStep measures what a hunk does alone, and what the change does without it.
// If a step has several hunks, because points between do not build, it regroups
// them.
func (p *sessionProber) hunkStep(ctx context.Context, of string, c culprit, step *result.BisectionStep) error {
	if p.enough() {
		return nil
	}
	trees, err := attempt.OpenTrees(ctx, p.spec.Session.Dir)
	if err != nil {
		return err
	}
	defer trees.Close()
	good, bad := p.spec.Axis[0].Variant, p.spec.Axis[len(p.spec.Axis)-1].Variant
	all, err := openPatch(ctx, trees, revisionOf(good), revisionOf(bad))
	if err != nil {
		return err
	}
	point := func(name string, with []int) (result.Point, error) {
		at, err := all.commit(ctx, with)
		return result.Point{Variant: at + keys(good), Name: name}, err
	}
	if len(step.Points) > 1 {
		if of != "hunks" {
			return nil
		}
		points, err := p.regroup(ctx, c, point)
		if err != nil || len(points) < 3 {
			return err
		}
		inner := &sessionProber{spec: p.spec, points: points, series: "regrouped " + points[0].Variant, shared: p.shared, known: &c.Change}
		inside, err := inner.search(ctx, "regrouped")
		step.Inside = append(step.Inside, inside)
		return err
	}
	k := slices.IndexFunc(all.hunks, func(h hunk) bool { return h.point.Name == step.First.Name })
	if k < 0 {
		return nil
	}
	var others []int
	for i := range all.hunks {
		if i != k {
			others = append(others, i)
		}
	}
	without, err := point("without "+step.First.Name, others)
	if err != nil {
		return err
	}
	alone, err := point(step.First.Name+" alone", []int{k})
	if err != nil {
		return err
	}
	inner := &sessionProber{spec: p.spec, points: []result.Point{p.spec.Axis[0], without, alone}, series: "hunk " + step.First.Name, shared: p.shared}
	share := shareOf(c.Change, p.ends)
	step.Hunk = &share
	for i, to := range []**result.Change{&share.Without, &share.Alone} {
		o, err := inner.share(ctx, 0, i+1)
		switch broken, ok := errors.AsType[*brokenError](err); {
		case ok:
			share.WhyNot = fmt.Sprintf("%s: %s", inner.points[i+1].Name, broken.Reason)
			continue
		case err != nil:
			return err
		}
		at := change(o)
		*to = &at
		if i == 1 {
			share.Together = math.Abs(o.Center)+half(o) < math.Abs(c.Change.Center)/2
		}
	}
	return nil
}

// shareOf is the share of a step in the change between the ends. Both have
// intervals, and blocks of their own.
func shareOf(step, ends outcome) result.HunkShare {
	share := step.Center / ends.Center
	if step.Center == ends.Center { // the comparison of the ends itself
		return result.HunkShare{Lo: 1, Hi: 1}
	}
	width := math.Hypot(half(step), share*half(ends)) / math.Abs(ends.Center)
	return result.HunkShare{Lo: share - width, Hi: share + width}
}
