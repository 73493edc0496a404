// Package aicb reads the workload files that AICB writes for SimAI: the layers of a transformer, each
// with the time and the collective of its forward pass, of the gradient of its input, and of that of
// its weights, for all GPUs alike.
//
// All GPUs carry out all layers once forwards and once backwards, as in SimAI. Collectives of forward
// passes and of input gradients are waited for; those of weight gradients proceed beside what
// follows. Stages of a pipeline exchange no messages, as in SimAI, whose text has only their size.
//
// See X. Wang et al.: "SimAI: Unifying Architecture Design and Performance Tuning for Large-Scale
// Large Language Model Training with Scalability and Precision", NSDI 2025.
package aicb
