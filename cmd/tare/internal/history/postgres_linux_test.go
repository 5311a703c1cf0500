package history

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestPostgres runs the tests of every store on a PostgreSQL server of its own,
// and twenty writers at once, each a program with a connection of its own.
func TestPostgres(t *testing.T) {
	if os.Getenv("TARE_LONG") == "" {
		t.Skip("TARE_LONG=1 starts a PostgreSQL server and builds cmd/tare-store-postgres")
	}
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(folders) == 0 {
		t.Skip("no PostgreSQL: apt-get install -y postgresql")
	}
	program := filepath.Join(t.TempDir(), "tare-store-postgres")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../../../../cmd/tare-store-postgres"
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("cmd/tare-store-postgres cannot be built here: %v\n%s", err, out)
	}
	address := startPostgres(t, folders[len(folders)-1])
	open := func() *Program {
		p := OpenProgram(program, address)
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
		return p
	}
	var wait sync.WaitGroup
	for i := range 20 {
		p := open()
		wait.Go(func() {
			for j := range 3 {
				if _, err := Add(context.Background(), p, study(3*i+j), time.Unix(int64(i), 0)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	files, skipped, err := Load(context.Background(), open())
	if err != nil || len(files) != 60 || len(skipped) != 0 {
		t.Errorf("20 writers left %d of 60 files: %+v, %v", len(files), skipped, err)
	}
	empty := exec.Command("psql", "-q", "-c", "TRUNCATE tare_history", address)
	if out, err := empty.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	testStore(t, open())

	// A server that is not there is an error with the words of the driver.
	if _, err := OpenProgram(program, "postgres://postgres@/postgres?host="+t.TempDir()).List(context.Background()); err == nil || !strings.Contains(err.Error(), "connect to PostgreSQL") {
		t.Errorf("without a server: %v", err)
	}
}

// startPostgres starts a server that listens on a socket in a folder of its
// own, as the user postgres where we are root, which it refuses to be.
func startPostgres(t *testing.T, bin string) (address string) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pg") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	attributes := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			t.Skip("PostgreSQL does not run as root, and there is no user postgres")
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.SysProcAttr, cmd.Dir = attributes, dir
		return cmd
	}
	data := filepath.Join(dir, "data")
	if out, err := command("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-N").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	start := command("pg_ctl", "-D", data, "-w", "-t", "120", "-l", filepath.Join(dir, "log"), "-o", "-c listen_addresses='' -c unix_socket_directories="+dir, "start")
	if err := start.Run(); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		t.Fatalf("pg_ctl: %v\n%s", err, log)
	}
	t.Cleanup(func() {
		if out, err := command("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop").CombinedOutput(); err != nil {
			t.Errorf("pg_ctl stop: %v\n%s", err, out)
		}
	})
	return "postgres://postgres@/postgres?host=" + dir
}
