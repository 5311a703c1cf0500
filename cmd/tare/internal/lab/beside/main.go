// Beside runs a command beside processes that never sleep. Each of these is in
// its own scheduling group, as the other programs of a machine are.
//
//	go run ./cmd/tare/internal/lab/beside -busy 16 tare compare . .
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab/busy"
	"github.com/tarebench/tare/cmd/tare/internal/process"
)

func main() {
	n := flag.Int("busy", 16, "processes that never sleep, half of which walk 64 MB")
	groups := flag.String("busy-groups", string(busy.Sessions), "their scheduling groups: sessions or cgroups")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	code, err := run(*n, busy.Groups(*groups), flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "beside:", err)
		code = 1
	}
	os.Exit(code)
}

func run(n int, groups busy.Groups, args []string) (code int, err error) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	stop, err := busy.Keep(ctx, n, groups)
	if err != nil {
		return 0, err
	}
	defer stop()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return process.Foreground(cmd, 10*time.Second, (*exec.Cmd).Start)
}
