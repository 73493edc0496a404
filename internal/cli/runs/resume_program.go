package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/internal/cli/ending"
	"fabricast/internal/input"
)

// keepCommand returns the description of a C program to be stored in a checkpoint.
func (f *runFlags) keepCommand(command []string) (*keptCommand, error) {
	p := &f.program
	k := &keptCommand{Words: command, Stack: p.stack, Types: p.types, Prefix: p.prefix, Strict: p.strict}
	var err error
	if k.Folder, err = os.Getwd(); err == nil {
		k.Hash, err = hashOfFile(command[0])
	}
	return k, err
}

// hashOfFile returns a hash of the contents of a file.
func hashOfFile(path string) (string, error) {
	file, _, err := input.Open(path, input.Copied)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)[:16]), nil
}

// keepCommands sets the descriptions of the C programs of an experiment's jobs, to be stored in a
// checkpoint.
func (f *runFlags) keepCommands(e *fabricast.Experiment) error {
	for i := range e.Jobs {
		if words := e.Jobs[i].Command; len(words) > 0 {
			k, err := f.keepCommand(words)
			if err != nil {
				return &ending.UsageError{Err: err}
			}
			f.commands = append(f.commands, k)
		}
	}
	return nil
}

// goBack prepares to resume a C program. It changes to the working directory in which the program
// was started, sets the flags of that run, and checks that the program is unchanged.
func (f *runFlags) goBack(k *keptCommand) error {
	if here, err := os.Getwd(); err != nil || here != k.Folder {
		if f.out, err = filepath.Abs(f.out); err == nil {
			err = os.Chdir(k.Folder)
		}
		if err != nil {
			return fabricast.NewConfigError(err)
		}
	}
	hash, err := hashOfFile(k.Words[0])
	if err == nil && hash != k.Hash {
		err = fmt.Errorf(
			"%s: found another program, expected the one of the checkpoint, which runs again up to there",
			k.Words[0],
		)
	}
	if err != nil {
		return fabricast.NewConfigError(err)
	}
	p := &f.program
	p.stack, p.types, p.prefix, p.strict = k.Stack, k.Types, k.Prefix, k.Strict
	return nil
}

// goOnWithJobs resumes a saved run of several jobs.
func (f *runFlags) goOnWithJobs(cmd *cobra.Command) error {
	for _, k := range f.commands {
		if err := f.goBack(k); err != nil {
			return err
		}
	}
	return f.runJobs(cmd, f.saved.Experiment)
}

// goOnWithProgram resumes a saved run of a C program.
func (f *runFlags) goOnWithProgram(cmd *cobra.Command) error {
	if err := f.goBack(f.command); err != nil {
		return err
	}
	return f.runCommand(cmd, f.saved.Experiment, f.command.Words)
}
