package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/study"
)

// bench is a module of its own, in which tare is run, killed and run again.
type bench struct {
	t *testing.T
	// tare is the command, dir the module's checkout, temp and log the
	// folders of temporary files and of what the benchmark notes.
	tare, dir, temp, log string
	env                  []string
	// bins are the kept binaries of two versions, as variants; building is
	// what making them took, a short study included.
	bins     []string
	building time.Duration
}

// crashModule notes every call of its benchmark in a file of its process, so
// that a test knows which slices were served, whoever was killed meanwhile.
const crashModule = `package m

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var sink uint64

var note = func() *os.File {
	f, err := os.Create(filepath.Join(os.Getenv("CRASH_LOG"), fmt.Sprint(os.Getpid())))
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, time.Now().UnixNano())
	return f
}()

func BenchmarkWork(b *testing.B) {
	for range b.N {
		sink = sink*6364136223846793005 + 1
	}
	fmt.Fprintln(note, b.N)
}
`

func newBench(t *testing.T, instrumented bool) *bench {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	b := &bench{t: t, tare: filepath.Join(root, "tare"), dir: filepath.Join(root, "m"), temp: filepath.Join(root, "temp"), log: filepath.Join(root, "log")}
	if err := os.Symlink(commandFile(t, instrumented), b.tare); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{b.dir, b.temp, b.log} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	b.env = append(os.Environ(), "TARE_LOCK="+filepath.Join(root, "lock"), "XDG_CACHE_HOME="+filepath.Join(root, "cache"),
		"GOCACHE="+goEnv(t, "GOCACHE"), "TMPDIR="+b.temp, "CRASH_LOG="+b.log, "GOFLAGS=-mod=mod", "GOPROXY=off", "NO_COLOR=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com")
	b.write("go.mod", "module example.com/m\n\ngo 1.26\n")
	b.write("m_test.go", crashModule)
	b.command("git", "init", "-q", ".")
	b.command("git", "add", ".")
	b.command("git", "-c", "commit.gpgsign=false", "commit", "-qm", "old")
	b.write("m_test.go", crashModule+"\n// The new version.\n")
	b.command("git", "-c", "commit.gpgsign=false", "commit", "-qam", "new")
	return b
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o666); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) prepare(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = b.dir, b.env
	return cmd
}

// command runs a command that must succeed and returns what it printed.
func (b *bench) command(name string, args ...string) string {
	b.t.Helper()
	out, err := b.prepare(name, args...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// kill starts tare and kills it, and it alone, with signal 9 after a while.
func (b *bench) kill(after time.Duration, args ...string) {
	b.t.Helper()
	cmd := b.prepare(b.tare, args...)
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	time.Sleep(after)
	cmd.Process.Kill()
	cmd.Wait()
}

// studies are the study folders, oldest first.
func (b *bench) studies() []string {
	all, _ := filepath.Glob(filepath.Join(b.dir, ".tare", "*-compare*"))
	slices.SortFunc(all, func(x, y string) int {
		a, err1 := os.Stat(x)
		z, err2 := os.Stat(y)
		if err1 != nil || err2 != nil {
			b.t.Fatal(err1, err2)
		}
		return a.ModTime().Compare(z.ModTime())
	})
	return all
}

// processes waits until no process is left that runs a file under one of the
// folders, and names those that stay.
func processes(patience time.Duration, folders ...string) []string {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		var left []string
		all, _ := filepath.Glob("/proc/[0-9]*/exe")
		for _, link := range all {
			exe, err := os.Readlink(link)
			if err != nil {
				continue
			}
			for _, folder := range folders {
				if strings.HasPrefix(exe, folder+"/") {
					left = append(left, exe)
				}
			}
		}
		if len(left) == 0 || time.Since(began) > patience {
			return left
		}
	}
}

// recorded reads what a killed study left; nil when it was killed before the
// study's first line.
func recorded(t *testing.T, folder string) []result.Line {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "result.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	// Independently of package result: every whole line is JSON by itself.
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	for line := range bytes.Lines(whole) {
		if !json.Valid(line) {
			t.Fatalf("a broken line: %.200q", line)
		}
	}
	lines, err := result.Lines(bytes.NewReader(data))
	if errors.Is(err, result.ErrNoStudy) {
		return nil
	}
	if n := bytes.Count(whole, []byte("\n")); err != nil || len(lines) != n {
		t.Fatalf("read %d of %d whole lines: %v", len(lines), n, err)
	}
	return lines
}

// lost compares what is on record of the last block with what its workers
// noted: blocks that both sides have served to the end, but for the last one,
// and those of them on record.
func lost(t *testing.T, lines []result.Line, log string) (served, onRecord int, ok bool) {
	t.Helper()
	files, err := os.ReadDir(log)
	if err != nil {
		t.Fatal(err)
	}
	const timed = 60 // calls: processes that discover, size slices or count make fewer
	workers := 0
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(log, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), "\n") > timed {
			workers++
		}
	}
	// Workers live one block after the other, two in each.
	if workers == 0 || workers%2 != 0 {
		return 0, 0, false // there is no block yet; or one side only lives
	}
	// The block in flight is the last one: all before it are on record.
	served = workers/2 - 1
	for _, l := range lines {
		if l.Block != nil {
			onRecord++
		}
	}
	return served, onRecord, true
}

// TestCrash kills tare, and takes the disk away from it.
func TestCrash(t *testing.T) {
	b := newBench(t, false)
	b.write(".git/info/exclude", "/.tare\n")
	began := time.Now()
	b.command(b.tare, "compare", "-blocks", "1", "-benchtime", "1ms", "HEAD~1", "HEAD")
	b.building = time.Since(began)
	kept := filepath.Join(filepath.Dir(b.dir), "kept") // tare removes old studies
	if err := os.Rename(b.studies()[0], kept); err != nil {
		t.Fatal(err)
	}
	b.bins = []string{"bin=" + filepath.Join(kept, "example.com_m.0.test"), "bin=" + filepath.Join(kept, "example.com_m.1.test")}
	t.Run("killed study", func(t *testing.T) { b.t = t; testKilledStudy(t, b) })
	t.Run("left behind", func(t *testing.T) { b.t = t; testLeftBehind(t, b) })
	t.Run("full disk", func(t *testing.T) { b.t = t; testFullDisk(t, b) })
}

// testKilledStudy kills a study at random moments: its recording is readable
// up to the last whole line, lacks the block in flight at most, and the study
// can be resumed, with the same random choices as if it had not been killed.
func testKilledStudy(t *testing.T, b *bench) {
	compare := append([]string{"compare", "-seed", "7", "-blocks", "12", "-benchtime", "40ms", "-budget", "300s"}, b.bins...)
	began := time.Now()
	b.command(b.tare, compare...)
	whole := time.Since(began)
	unbroken := recorded(t, b.studies()[len(b.studies())-1])

	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("random from %d; an unbroken study takes %.1f s", seed, whole.Seconds())
	n := lab.Times(4, 200)
	checked, blocks, worst, resumed := 0, 0, 0, 0
	for i := range n {
		os.RemoveAll(b.log)
		os.Mkdir(b.log, 0o777)
		before := len(b.studies())
		b.kill(time.Duration(random.Int64N(int64(whole))), compare...)
		if left := processes(time.Minute, b.dir, b.temp); len(left) > 0 {
			t.Fatalf("kill %d: left running: %v", i, left)
		}
		studies := b.studies()
		if len(studies) == before {
			continue // killed before there was a folder
		}
		folder := studies[len(studies)-1]
		lines := recorded(t, folder)
		for _, l := range lines {
			if l.Block != nil {
				blocks++
			}
		}
		if served, onRecord, ok := lost(t, lines, b.log); ok {
			checked++
			missing := served - onRecord
			worst = max(worst, missing)
			if missing > 0 || missing < -1 {
				t.Errorf("kill %d: %d blocks were served before the last one, %d are on record", i, served, onRecord)
			}
		}
		if lines != nil && resumed < max(1, n/20) && hasBlock(lines) && lines[len(lines)-1].End == nil {
			resumed++
			resumeAndCheck(t, b, folder, lines, unbroken)
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d blocks on record, %d compared with what was served: at most %d lost but for the last; %d resumed", n, blocks, checked, worst, resumed)
	if resumed == 0 && n > 20 {
		t.Error("no study was resumed")
	}
	if checked == 0 && n > 20 {
		t.Error("no kill came in the middle of a block")
	}
}

func hasBlock(lines []result.Line) bool {
	return slices.ContainsFunc(lines, func(l result.Line) bool { return l.Block != nil })
}

// resumeAndCheck goes on with a killed study.
func resumeAndCheck(t *testing.T, b *bench, folder string, before, unbroken []result.Line) {
	t.Helper()
	b.command(b.tare, append([]string{"compare", "-resume", folder}, b.bins...)...)
	after := recorded(t, folder)
	count := func(lines []result.Line, is func(result.Line) bool) int {
		n := 0
		for _, l := range lines {
			if is(l) {
				n++
			}
		}
		return n
	}
	if n := count(after, func(l result.Line) bool { return l.Study != nil }); n != 1 {
		t.Errorf("%d study lines", n)
	}
	if n := count(after, func(l result.Line) bool { return l.Stop != nil }); n != 1 {
		t.Errorf("%d stops of one benchmark", n)
	}
	if after[len(after)-1].End == nil || after[len(after)-1].End.Interrupted {
		t.Errorf("the last line is no end: %+v", after[len(after)-1])
	}
	// What was measured in whole blocks before stands unchanged.
	kept := study.Trim(before)
	if len(after) < len(kept) || !reflect.DeepEqual(after[:len(kept)], kept) {
		t.Error("what was on record changed")
	}
	// Every block is there once, with the same random choices as in the study
	// that was not killed.
	blocks := func(lines []result.Line) (all []result.Block) {
		for _, l := range lines {
			if l.Block != nil {
				all = append(all, *l.Block)
			}
		}
		return all
	}
	orders := func(lines []result.Line) map[string][]int {
		all := make(map[string][]int)
		for _, l := range lines {
			if l.Block != nil {
				for i, r := range l.Block.Timed() {
					all[fmt.Sprint(l.Block.Block, " ", i)] = r.Order
				}
			}
		}
		return all
	}
	want := blocks(unbroken)
	for i, k := range blocks(after) {
		if k.Block != i {
			t.Errorf("block %d stands where %d should", k.Block, i)
		} else if i < len(want) && k.First != want[i].First {
			t.Errorf("block %d: another random choice than in the study that ran through", i)
		}
	}
	ours := orders(after)
	for at, order := range orders(unbroken) {
		if got, ok := ours[at]; ok && !slices.Equal(got, order) {
			t.Errorf("block and round %s: order %v, in the study that ran through %v", at, got, order)
		}
	}
	// α is a matter of the looks, which come at numbers of blocks: the same
	// numbers as without the kill.
	if n := len(blocks(after)); n > 12 {
		t.Errorf("%d blocks of 12", n)
	}
}

// testLeftBehind kills tare compare while it checks out, builds,
// links and measures: after the next start no worktree, process, lock,
// temporary file or change in the checkout is left.
func testLeftBehind(t *testing.T, b *bench) {
	compare := []string{"compare", "-blocks", "2", "-benchtime", "200ms", "HEAD~1", "HEAD"}
	next := []string{"compare", "-blocks", "1", "-benchtime", "1ms", "-layouts=false", "HEAD~1", "HEAD"}
	status := func() string {
		return b.command("git", "status", "--porcelain") + b.command("git", "worktree", "list") + b.command("git", "stash", "list") +
			b.command("git", "branch", "-a") + b.command("git", "fsck", "--no-dangling", "--no-progress")
	}
	clean := status()
	whole := b.building // the compilers' time included, which a second run saves
	if lab.Long {
		began := time.Now()
		b.command(b.tare, compare...)
		whole = time.Since(began)
	}

	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("random from %d; killed within %.1f s", seed, whole.Seconds())
	n := lab.Times(1, 50)
	dirty := 0
	for i := range n {
		if i%5 == 4 {
			os.RemoveAll(filepath.Join(filepath.Dir(b.dir), "cache")) // so that kills meet compilers too
		}
		b.kill(time.Duration(random.Int64N(int64(whole))), compare...)
		if entries, _ := os.ReadDir(b.temp); len(entries) > 0 {
			dirty++
		}
		b.command(b.tare, next...)
		if left := processes(time.Minute, b.dir, b.temp); len(left) > 0 {
			t.Errorf("kill %d: processes %v", i, left)
		}
		filepath.WalkDir(b.temp, func(path string, d fs.DirEntry, err error) error {
			if path != b.temp {
				t.Errorf("kill %d: left behind: %s", i, path)
			}
			return nil
		})
		if now := status(); now != clean {
			t.Errorf("kill %d: the checkout was\n%s and is\n%s", i, clean, now)
		}
		if _, err := os.Stat(filepath.Join(b.dir, ".git", "worktrees")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("kill %d: .git/worktrees is there (%v)", i, err)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kills, after %d of them something was left, after the next start nothing", n, dirty)
}

// testFullDisk: the error names the file and what to do, and when there is
// room again the study goes on.
func testFullDisk(t *testing.T, b *bench) {
	// No verdict ends it before the disk is full.
	compare := func(blocks int) []string {
		return append([]string{"compare", "-blocks", strconv.Itoa(blocks), "-delta", "0.01%", "-alpha", "0.01%", "-benchtime", "20ms", "-budget", "300s"}, b.bins...)
	}
	fails := func(t *testing.T, cmd *exec.Cmd, says ...string) string {
		t.Helper()
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
			t.Fatalf("%v: %v, want exit %d\n%s", cmd.Args, err, exitFailed, out)
		}
		for _, words := range says {
			if !strings.Contains(string(out), words) {
				t.Errorf("no %q in:\n%s", words, out)
			}
		}
		return string(out)
	}
	t.Run("a limit on the size of files", func(t *testing.T) {
		// 96 blocks of 512 bytes: less than a test binary, so the first block
		// cannot begin. Blocks that are lost are in the other case.
		cmd := b.prepare("sh", append([]string{"-c", `ulimit -f 96; exec "$0" "$@"`, b.tare}, compare(12)...)...)
		out := fails(t, cmd, "copy test binary", "file too large", "make room", "-resume")
		folder := b.studies()[len(b.studies())-1]
		if !strings.Contains(out, folder) {
			t.Errorf("no name of the folder %s in:\n%s", folder, out)
		}
		b.command(b.tare, append([]string{"compare", "-resume", folder}, b.bins...)...)
		if lines := recorded(t, folder); !hasBlock(lines) {
			t.Errorf("%d lines and no block on record", len(lines))
		}
	})
	t.Run("a full disk", func(t *testing.T) {
		disk := mountTemporary(t, b, "size=64k")
		module := filepath.Join(disk, "m")
		if err := os.Mkdir(module, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.com/full\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		// Benchmarks that a bin= finds need no package here.
		cmd := b.prepare(b.tare, compare(400)...) // of a busy machine, blocks are short
		cmd.Dir = module
		fails(t, cmd, "sec/op", filepath.Join(module, ".tare"), "no space left on device", "make room", "-resume "+filepath.Join(module, ".tare"))
		folders, _ := filepath.Glob(filepath.Join(module, ".tare", "*-compare"))
		if len(folders) != 1 || !hasBlock(recorded(t, folders[0])) {
			t.Fatalf("folders %v, or no block on record", folders)
		}
		resize := func(size string) {
			t.Helper()
			if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size="+size); err != nil {
				t.Fatal(err)
			}
		}
		// With room for the recording, but not for the binaries.
		resize("2m")
		again := b.prepare(b.tare, append([]string{"compare", "-resume", folders[0], "-budget", "1ns"}, b.bins...)...)
		again.Dir = module
		fails(t, again, "sec/op", "no space left on device", "tare show "+folders[0])
		resize("64m")
		show := b.prepare(b.tare, "show", folders[0])
		if out, err := show.CombinedOutput(); err != nil || !strings.Contains(string(out), "Work") {
			t.Errorf("with room again: %v\n%s", err, out)
		}
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		readOnly := b.prepare(b.tare, compare(2)...)
		readOnly.Dir = module
		fails(t, readOnly, filepath.Join(module, ".tare"), "read-only file system", "make that directory writable")
	})
	t.Run("a folder without the right to write", func(t *testing.T) {
		cmd := withoutRights(t, b, compare(2)...)
		fails(t, cmd, filepath.Join(cmd.Dir, ".tare"), "permission denied", "make that directory writable")
	})
}

// withoutRights prepares tare in a module whose folder its user may not write
// to. Root may write everywhere, so it becomes nobody, with tare, the kept
// binaries and all folders where nobody finds them.
func withoutRights(t *testing.T, b *bench, args ...string) *exec.Cmd {
	t.Helper()
	root, err := os.MkdirTemp("", "tare-rights") // t.TempDir is for its owner alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	module := filepath.Join(root, "m")
	if err := os.Mkdir(module, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.com/mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(module, 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		t.Cleanup(func() { os.Chmod(module, 0o755) }) // first: it can be removed then
		cmd := b.prepare(b.tare, args...)
		cmd.Dir = module
		return cmd
	}
	const nobody = 65534
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	copied := func(from, name string) string {
		t.Helper()
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(root, name), data, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(root, name)
	}
	for i, arg := range args {
		if file, ok := strings.CutPrefix(arg, "bin="); ok {
			args[i] = "bin=" + copied(file, filepath.Base(file))
		}
	}
	home := filepath.Join(root, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Skipf("no user but root can be had here: %v", err)
	}
	cmd := exec.Command(copied(b.tare, "tare"), args...)
	cmd.Dir = module
	cmd.Env = append(b.env, "TARE_LOCK="+filepath.Join(home, "lock"))
	for _, name := range []string{"HOME", "TMPDIR", "XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "GOPATH"} {
		cmd.Env = append(cmd.Env, name+"="+home)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	try := exec.Command("true")
	try.SysProcAttr = cmd.SysProcAttr
	if err := try.Run(); err != nil {
		t.Skipf("no user but root can be had here: %v", err)
	}
	return cmd
}

// mountTemporary mounts a small disk for the length of the test.
func mountTemporary(t *testing.T, b *bench, options string) string {
	t.Helper()
	disk := filepath.Join(filepath.Dir(b.dir), "disk")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, options); err != nil {
		t.Skipf("mounting a small disk needs root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", disk, err)
		}
	})
	return disk
}
