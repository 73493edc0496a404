// Package completion tells how long the flows of a run took to complete: its messages, from send to
// delivery, by size, and how much longer that is than on an idle network (the slowdown of a flow).
package completion
