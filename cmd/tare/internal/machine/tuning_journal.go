package machine

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// journalPath is where the state file lies below the root. /run is emptied at
// boot, as the settings themselves are.
const journalPath = "run/tare-tune.jsonl"

// Tuning is a tuned machine. It must be restored; what a killed process leaves
// behind, [RepairTuning] restores at the next start.
type Tuning struct {
	// Done are the changes in force, Refused what could not be changed.
	Done    []TuningChange
	Refused []string
	// CPUs is the list that [Tuning.Command] keeps to; empty for all.
	CPUs string

	dir      string
	journal  *os.File
	shielded bool
}

// startTuning carries out plan below dir ("/" in earnest). Each change stands
// in the journal, on disk, before it is made. say (may be nil) hears of each
// change and each refusal. A change that the kernel refuses is no error.
func startTuning(dir string, plan TuningPlan, say func(string)) (*Tuning, error) {
	if say == nil {
		say = func(string) {}
	}
	journal, err := openJournal(dir)
	if err != nil {
		return nil, err
	}
	t := &Tuning{dir: dir, journal: journal, CPUs: plan.CPUs}
	if len(readJournal(journal)) > 0 {
		journal.Close()
		return nil, fmt.Errorf("tune machine: %s still holds changes of an earlier run: restore them first (tare doctor does)", journal.Name())
	}
	for _, r := range plan.Refusals {
		t.refuse(say, r)
	}
	for _, c := range plan.Changes {
		if err := t.record(c); err != nil {
			return nil, errors.Join(fmt.Errorf("write journal: %w", err), t.Restore())
		}
		if err := apply(dir, c); err != nil {
			// It stays in the journal: to restore what did not change does
			// no harm, and a write may have half succeeded.
			t.refuse(say, fmt.Sprintf("%s: %v", c, cause(err)))
			continue
		}
		t.Done = append(t.Done, c)
		t.shielded = t.shielded || strings.HasSuffix(c.Path, ".partition")
		say(c.String())
	}
	return t, nil
}

// WhileTuned tunes the machine below dir, calls run, and restores the machine,
// however run ends.
func WhileTuned(dir string, plan TuningPlan, say func(string), run func(*Tuning) error) (err error) {
	t, err := startTuning(dir, plan, say)
	if err != nil {
		return err
	}
	defer func() {
		restored := t.Restore()
		if restored == nil {
			say(fmt.Sprintf("restored %d settings", len(t.Done)))
		}
		err = errors.Join(err, restored)
	}()
	return run(t)
}

func (t *Tuning) refuse(say func(string), why string) {
	t.Refused = append(t.Refused, why)
	say("refused: " + why)
}

// record appends one whole line and waits until it is on disk.
func (t *Tuning) record(c TuningChange) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if _, err := t.journal.Write(append(line, '\n')); err != nil {
		return err
	}
	return t.journal.Sync()
}

// Restore takes all changes back, last first, and removes the journal. It
// carries on past errors and joins them; the journal stays when there is one.
// A second call does nothing.
func (t *Tuning) Restore() error {
	if t.journal == nil {
		return nil
	}
	changes := readJournal(t.journal)
	err := undoAll(t.dir, changes)
	if err == nil {
		err = os.Remove(t.journal.Name())
	}
	t.journal.Close()
	t.journal = nil
	return err
}

// RepairTuning restores what a killed process left changed below dir, and
// says what that was. Where nothing was left, or the process still lives, it
// does nothing; it costs one attempt to open a file.
func RepairTuning(dir string) ([]TuningChange, error) {
	name := filepath.Join(dir, filepath.FromSlash(journalPath))
	if _, err := os.Lstat(name); err != nil {
		return nil, nil
	}
	journal, err := openJournal(dir)
	if errors.Is(err, errTuned) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("repair settings of an earlier run: %w: run tare doctor as root", err)
	}
	defer journal.Close()
	changes := readJournal(journal)
	if err := undoAll(dir, changes); err != nil {
		return nil, fmt.Errorf("repair settings of an earlier run: %w: the state file %s is kept", err, name)
	}
	return changes, os.Remove(name)
}

// errTuned is wrapped when another living process has tuned the machine.
var errTuned = errors.New("another process has tuned this machine")

// openJournal opens the state file and locks it for as long as the process
// lives: that distinguishes a killed tuner from a living one.
func openJournal(dir string) (*os.File, error) {
	name := filepath.Join(dir, filepath.FromSlash(journalPath))
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("tune machine: %w: it needs the rights of root", err)
		}
		return nil, fmt.Errorf("tune machine: %w", err)
	}
	if err := TryLock(f); err != nil {
		f.Close()
		if errors.Is(err, ErrLocked) {
			err = errTuned
		}
		return nil, fmt.Errorf("tune machine: %w", err)
	}
	if !SameFile(f, name) { // its holder restored and removed it just now
		f.Close()
		return openJournal(dir)
	}
	return f, nil
}

// readJournal reads the whole lines. A torn last line announced a change that
// was never made.
func readJournal(f *os.File) []TuningChange {
	var changes []TuningChange
	r := bufio.NewReader(io.NewSectionReader(f, 0, 1<<24))
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return changes
		}
		var c TuningChange
		if json.Unmarshal(line, &c) == nil && filepath.IsLocal(filepath.FromSlash(c.Path)) {
			changes = append(changes, c)
		}
	}
}

func apply(dir string, c TuningChange) error {
	name := filepath.Join(dir, filepath.FromSlash(c.Path))
	if c.Made && c.To == "" {
		return os.Mkdir(name, 0o755)
	}
	if err := writeSetting(name, c.To, c.Made); err != nil {
		return err
	}
	// A setting may be taken and changed, or left: only reading shows it.
	got, err := os.ReadFile(name)
	if err != nil || c.Undo != "" {
		return err
	}
	if now := strings.TrimSpace(string(got)); now != c.To {
		return fmt.Errorf("the kernel answered %q", now)
	}
	return nil
}

// writeSetting writes in one call, as sysfs wants it. Only files in a folder
// that tuning made may be new.
func writeSetting(name, value string, create bool) error {
	flags := os.O_WRONLY | os.O_TRUNC
	if create {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(name, flags, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

func undoAll(dir string, changes []TuningChange) error {
	var all error
	for i := len(changes) - 1; i >= 0; i-- {
		if err := undo(dir, changes[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, fmt.Errorf("restore %s: %w", changes[i].What, err))
		}
	}
	return all
}

func undo(dir string, c TuningChange) error {
	name := filepath.Join(dir, filepath.FromSlash(c.Path))
	switch {
	case c.Made && c.To == "":
		emptyGroup(dir, name)
		return os.Remove(name)
	case c.Made:
		// The kernel's own files go with their folder and cannot be removed
		// one by one: that is for plain trees.
		_ = os.Remove(name)
		return nil
	case c.Undo != "":
		return writeSetting(name, c.Undo, false)
	}
	if now, err := os.ReadFile(name); err == nil && strings.TrimSpace(string(now)) == c.From {
		return nil // never changed: a refused write is not refused twice
	}
	return writeSetting(name, c.From, false)
}

// emptyGroup moves what still runs in the shield to the top group, for a group
// with processes cannot be removed.
func emptyGroup(dir, group string) {
	procs, err := os.ReadFile(filepath.Join(group, "cgroup.procs"))
	if err != nil {
		return
	}
	top := filepath.Join(dir, "sys/fs/cgroup/cgroup.procs")
	for _, pid := range strings.Fields(string(procs)) {
		_ = writeSetting(top, pid, false) // it may have ended meanwhile
	}
}

// cause drops the path of a PathError: the change names it already.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
