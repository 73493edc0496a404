// Package ending handles the end of a command: exit codes, error messages as text or JSON, signals
// that interrupt the command, and the report of faults of Fabricast itself, also in its child
// processes.
package ending
