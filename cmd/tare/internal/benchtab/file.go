package benchtab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/sync/errgroup"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// File contains the results of one file.
type File struct {
	// Label names the file in the output: the text before "=", or the path.
	Label string
	Path  string
	// Series are in the order of their first results. A recording has none.
	Series []*Series
	// Results is the number of result lines.
	Results int
	// Units contains the metadata of "Unit" lines.
	Units benchfmt.UnitMetadataMap
	// Recording is set for a result.jsonl of tare.
	Recording *result.Recording
	// Variant is the label of the requested variant of Recording. It is empty
	// for all variants.
	Variant  string
	Findings []finding.Finding
}

// Input is one file to read.
type Input struct{ Label, Path string }

// Inputs parses arguments of the form [label=]path. Without a label the path is
// the label. Repeated paths are distinguished as path#0, path#1.
func Inputs(args []string) []Input {
	all := make([]Input, 0, len(args))
	count := make(map[string]int)
	for _, a := range args {
		if label, path, ok := strings.Cut(a, "="); ok {
			all = append(all, Input{label, path})
		} else {
			all = append(all, Input{"", a})
			count[a]++
		}
	}
	number := make(map[string]int)
	for i := range all {
		in := &all[i]
		if in.Label != "" || strings.HasPrefix(args[i], "=") {
			continue
		}
		in.Label = in.Path
		if count[in.Path] > 1 {
			in.Label = fmt.Sprintf("%s#%d", in.Path, number[in.Path])
			number[in.Path]++
		}
	}
	return all
}

// ReadAll reads files in parallel. The path "-" is stdin. If several files
// cannot be read, the error names the first in order.
func ReadAll(inputs []Input, stdin io.Reader) ([]*File, error) {
	files, errs := make([]*File, len(inputs)), make([]error, len(inputs))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	fromStdin := false
	for i, in := range inputs {
		if in.Path == "-" {
			if fromStdin {
				return nil, errors.New("read -: standard input can be read once only")
			}
			fromStdin = true
		}
		group.Go(func() error {
			files[i], errs[i] = readOne(in, stdin)
			return nil
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func readOne(in Input, stdin io.Reader) (*File, error) {
	if in.Path == "-" {
		return read(stdin, in)
	}
	f, err := os.Open(in.Path)
	if err != nil {
		return nil, fmt.Errorf("read benchmarks: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("read benchmarks: %s is a directory: name a file in it", in.Path)
	}
	return read(f, in)
}

func read(r io.Reader, in Input) (*File, error) {
	f := &File{Label: in.Label, Path: in.Path}
	text, err := plainText(bufio.NewReaderSize(r, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", in.Path, err)
	}
	if _, err = text.Peek(1); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: the file is empty", in.Path)
	} else if err != nil {
		return nil, fmt.Errorf("read %s: %w", in.Path, err)
	}
	var lines io.Reader = text
	var events *eventReader
	head, _ := text.Peek(4096)
	switch {
	case result.IsRecording(head):
		rec, err := result.Read(text)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", in.Path, err)
		}
		f.Recording = rec
		return f, nil
	case isEvents(head):
		events = &eventReader{in: text, open: make(map[string]*openLine)}
		lines = events
	}
	from := newLineReader(lines)
	if err := f.parse(from, events.lineOf); err != nil {
		return nil, fmt.Errorf("read %s: %w", in.Path, err)
	}
	if f.Results == 0 {
		return nil, fmt.Errorf("read %s: it has no benchmark result: %s%s", in.Path, from.content(), f.firstMalformed())
	}
	if from.failed != "" {
		f.Findings = append(f.Findings, catalog.FailedRun.Of(in.Path, finding.Text("line", strconv.Quote(from.failed))))
	}
	return f, nil
}

func (f *File) firstMalformed() string {
	for _, m := range f.Findings {
		if catalog.MalformedLine.Is(m) {
			return fmt.Sprintf(" (%s: %s)", m.Subject, m.Message)
		}
	}
	return ""
}
