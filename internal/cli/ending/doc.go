// Package ending is how a command ends: exit codes, the message of an error as text or JSON, signals that
// interrupt it, and the report of a fault of Fabricast itself, also of a process that it has started.
package ending
