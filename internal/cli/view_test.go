package cli

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"fabricast/internal/resulttest"
)

// viewing runs a command that serves a report, requests the manifest until it contains the text
// want, and interrupts the command.
func viewing(t *testing.T, want string, args ...string) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	log := &resulttest.Output{}
	cmd := New(io.Discard, log)
	cmd.SetArgs(args)
	done := make(chan error, 1)
	go func() { done <- cmd.ExecuteContext(ctx) }()
	address := regexp.MustCompile(`http://[^ ]*/`)
	for text := ""; !strings.Contains(text, want); time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-done:
			t.Fatalf("the command ended with %v: %s", err, log)
		default:
		}
		site := address.FindString(log.String())
		if site == "" {
			continue
		}
		answer, err := http.Get(site + "data/manifest")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		text = string(body)
	}
	interrupt()
	if err := <-done; err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
}

func TestView(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	file := filepath.Join("..", "..", "examples", "quickstart.yaml")
	viewing(
		t,
		`"predicted_ps"`,
		"run",
		file,
		"--set",
		"network.topology.dims=[2,2,2]",
		"--set",
		"ranks=8",
		"--out",
		dir,
		"--view",
	)
	viewing(t, `"predicted_ps"`, "view", dir)
	viewing(
		t,
		`"predicted_ps"`,
		"run",
		file,
		"--set",
		"network.topology.dims=[2,2,2]",
		"--set",
		"ranks=8",
		"--view",
	)
}
