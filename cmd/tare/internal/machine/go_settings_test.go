package machine

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
)

func TestGoSettings(t *testing.T) {
	env := map[string]string{"GOGC": "200", "GOMAXPROCS": ""}
	got, err := GoSettings(t.Context(), func(_ context.Context, name string, args ...string) ([]byte, error) {
		if name != "go" || !slices.Equal(args[:2], []string{"env", "-json"}) {
			t.Errorf("ran %s %v", name, args)
		}
		return []byte(`{"GOVERSION":"go1.26.8","GOAMD64":"v3","GOFLAGS":"","GOEXPERIMENT":"jsonv2"}`), nil
	}, func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"GOGC": "200", "GOVERSION": "go1.26.8", "GOAMD64": "v3", "GOEXPERIMENT": "jsonv2"}
	if len(got) != len(want) {
		t.Errorf("settings %v, want %v", got, want)
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s is %q, want %q", k, got[k], v)
		}
	}
	failed := errors.New("no go here")
	if _, err := GoSettings(t.Context(), func(context.Context, string, ...string) ([]byte, error) { return nil, failed }, os.Getenv); !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
}
