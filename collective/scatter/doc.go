// Package scatter holds the algorithms by which every rank gets its block from the root.
package scatter
