package io.weir.insight.event;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/** Detects virtual threads; works on Java versions without them. */
final class VirtualThreads {
  private static final @Nullable MethodHandle IS_VIRTUAL = find();

  private VirtualThreads() {}

  private static @Nullable MethodHandle find() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException e) { // before Java 21
      return null;
    }
  }

  static boolean isOne(Thread thread) {
    try {
      return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
    } catch (Throwable e) { // it throws nothing
      throw new LinkageError("Thread.isVirtual", e);
    }
  }
}
