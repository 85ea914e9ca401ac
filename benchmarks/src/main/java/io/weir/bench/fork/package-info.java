/**
 * A JVM for each measurement: how it is started, how it answers, and whether the machine was quiet
 * meanwhile.
 *
 * <p>Calls nothing of the project. Called by every suite.
 */
@NullMarked
package io.weir.bench.fork;

import org.jspecify.annotations.NullMarked;
