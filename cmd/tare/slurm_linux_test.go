//go:build lab

package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slurmCluster starts a cluster of two nodes on this machine, with everything of
// it in a folder, and returns the file that SLURM_CONF names.
func slurmCluster(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("not run: a Slurm cluster of two nodes on one machine is started by root")
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "srun"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("not run: %v (Debian: slurm-wlm, munge)", err)
		}
	}
	// The socket's path must be short, and all folders above it safe.
	dir, err := os.MkdirTemp("", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	key := make([]byte, 1024)
	_, err = rand.Read(key)
	err = errors.Join(err, os.Mkdir(filepath.Join(dir, "munge"), 0o700), os.Mkdir(filepath.Join(dir, "state"), 0o700),
		os.WriteFile(filepath.Join(dir, "munge/key"), key, 0o600))
	host, herr := os.Hostname()
	if err = errors.Join(err, herr); err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	var ports []any
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		defer l.Close()
	}
	config := strings.NewReplacer("DIR", dir, "HOST", host).Replace(`ClusterName=tare
SlurmctldHost=HOST(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=DIR/munge/s
CredType=cred/munge
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool-%n
SlurmctldPidFile=DIR/controller.pid
SlurmdPidFile=DIR/%n.pid
SlurmctldLogFile=DIR/controller.log
SlurmdLogFile=DIR/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
`) + fmt.Sprintf("SlurmctldPort=%d\nNodeName=n1 NodeHostname=%s NodeAddr=127.0.0.1 Port=%d\nNodeName=n2 NodeHostname=%s NodeAddr=127.0.0.1 Port=%d\n",
		ports[0], host, ports[1], host, ports[2])
	conf := filepath.Join(dir, "slurm.conf")
	if err := os.WriteFile(conf, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CONF", conf)
	return dir
}

// startSlurm starts the daemons of a cluster, and ends them with the test.
func startSlurm(t *testing.T, dir string) {
	t.Helper()
	munge := filepath.Join(dir, "munge")
	for _, d := range []struct {
		pid  string
		args []string
	}{
		{"munge/pid", []string{"munged", "--force", "--key-file=" + munge + "/key", "--socket=" + munge + "/s", "--pid-file=" + munge + "/pid", "--log-file=" + munge + "/log", "--seed-file=" + munge + "/seed"}},
		{"controller.pid", []string{"slurmctld"}},
		{"n1.pid", []string{"slurmd", "-N", "n1"}},
		{"n2.pid", []string{"slurmd", "-N", "n2"}},
	} {
		t.Cleanup(func() {
			text, err := os.ReadFile(filepath.Join(dir, d.pid))
			if pid, perr := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && perr == nil {
				_ = syscall.Kill(pid, syscall.SIGTERM)
				for began := time.Now(); syscall.Kill(pid, 0) == nil && time.Since(began) < 20*time.Second; {
					time.Sleep(20 * time.Millisecond)
				}
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
		if out, err := exec.Command(d.args[0], d.args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("not run: %s: %v\n%s", d.args[0], err, out)
		}
	}
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		out, err := exec.Command("sinfo", "--noheader", "--format=%T %D").CombinedOutput()
		if err == nil && strings.TrimSpace(string(out)) == "idle 2" {
			return
		}
		if time.Since(began) > 60*time.Second {
			t.Skipf("not run: the two nodes of a Slurm cluster do not become idle: %v\n%s", err, out)
		}
	}
}

// TestOverSlurm measures on the two nodes of a Slurm cluster that the test
// starts, and by a job array.
func TestOverSlurm(t *testing.T) {
	dir := slurmCluster(t)
	startSlurm(t, dir)
	tare, module, prefix := onMachines(t)
	node := "srun -N1 --exclusive " + prefix
	out := compareOn(t, tare, module, nil, "compare", "-budget", "10m", "-blocks", "8", "-benchtime", "5ms", "-measure-all", "-on", node, "-on", node+" SECOND=1", ".", ".,tags=other")
	blocks, machines := recordedBlocks(t, module)
	if len(blocks) < 16 || machines != 2 {
		t.Errorf("%d blocks of %d machines\n%s", len(blocks), machines, out)
	}
	for block, times := range blocks {
		if times != 1 {
			t.Errorf("block %s is on record %d times", block, times)
		}
	}
	job := fmt.Sprintf("%s GOCACHE=%s HOME=%s GOFLAGS=-mod=mod GOPROXY=off %s compare -budget 10m -blocks 2 -benchtime 1ms -shard $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT -o part-$SLURM_ARRAY_TASK_ID.jsonl . .,tags=other",
		prefix, goCache(t), filepath.Dir(module), tare)
	array := exec.Command("sbatch", "--wait", "--array=1-2", "--exclusive", "--output=job-%a.jsonl", "--chdir="+module, "--wrap", job)
	if out, err := array.CombinedOutput(); err != nil {
		said, _ := os.ReadFile(filepath.Join(module, "job-1.jsonl"))
		t.Fatalf("sbatch: %v\n%s%s", err, out, said)
	}
	merged := compareOn(t, tare, module, nil, "show", "part-1.jsonl", "part-2.jsonl")
	if !strings.Contains(merged, "\nOne") || !strings.Contains(merged, "\nTwo") {
		t.Errorf("merged:\n%s", merged)
	}
}
