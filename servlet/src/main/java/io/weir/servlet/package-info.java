/**
 * Limits the requests of an application in a servlet container.
 *
 * <p>Uses what all embedded front ends share; called by the container.
 */
@NullMarked
package io.weir.servlet;

import org.jspecify.annotations.NullMarked;
