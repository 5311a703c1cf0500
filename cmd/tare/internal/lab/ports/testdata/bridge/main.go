// Command bridge stands for git.exe under Wine. It leaves its command in a directory
// and waits for the answer of the test, which runs the git of Linux.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	spool := os.Getenv("TARE_TEST_BRIDGE")
	dir, _ := os.Getwd()
	input, _ := io.ReadAll(os.Stdin)
	data, err := json.Marshal(map[string]any{
		"Args": os.Args[1:], "Dir": dir, "Env": os.Environ(), "Input": input,
	})
	if err != nil {
		panic(err)
	}
	id := filepath.Join(spool, fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano()))
	if err := os.WriteFile(id+".new", data, 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(id+".new", id+".json"); err != nil {
		panic(err)
	}
	var answer struct {
		Output, Words []byte
		Code          int
	}
	for {
		data, err := os.ReadFile(id + ".done")
		if err == nil && json.Unmarshal(data, &answer) == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	os.Stdout.Write(answer.Output)
	os.Stderr.Write(answer.Words)
	os.Exit(answer.Code)
}
