package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// goEnv are the settings of the go command that change the binary. runtimeEnv
// are the variables that change how it runs.
var (
	goEnv      = []string{"GOVERSION", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFLAGS", "CGO_ENABLED"}
	runtimeEnv = []string{"GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG"}
)

// GoSettings reads the settings of the go command that matter to a measurement,
// through run (a command's standard output), and the runtime's settings through
// getenv. It omits empty settings.
func GoSettings(ctx context.Context, run func(ctx context.Context, name string, args ...string) ([]byte, error), getenv func(string) string) (map[string]string, error) {
	settings := map[string]string{}
	for _, name := range runtimeEnv {
		if v := getenv(name); v != "" {
			settings[name] = v
		}
	}
	out, err := run(ctx, "go", append([]string{"env", "-json"}, goEnv...)...)
	if err != nil {
		return settings, fmt.Errorf("run go env: %w", err)
	}
	known := map[string]string{}
	if err := json.Unmarshal(out, &known); err != nil {
		return settings, fmt.Errorf("parse go env: %w", err)
	}
	for _, name := range goEnv {
		if v := strings.TrimSpace(known[name]); v != "" {
			settings[name] = v
		}
	}
	return settings, nil
}
