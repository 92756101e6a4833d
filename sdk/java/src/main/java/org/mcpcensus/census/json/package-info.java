/** Reads and writes JSON. */
package org.mcpcensus.census.json;
