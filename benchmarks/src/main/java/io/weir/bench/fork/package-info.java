/**
 * A JVM for each measurement: how it is started, how it reports, and whether the machine was quiet
 * meanwhile.
 *
 * <p>Uses nothing of the project. Used by every suite.
 */
@NullMarked
package io.weir.bench.fork;

import org.jspecify.annotations.NullMarked;
