/** The client of a registry: {@link org.mcpcensus.census.Census} and its methods. */
package org.mcpcensus.census;
