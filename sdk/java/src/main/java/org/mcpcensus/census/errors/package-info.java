/** Exceptions. */
package org.mcpcensus.census.errors;
