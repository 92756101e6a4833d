// Package deploy has tests of the files of deployments.
package deploy
