package io.weir.rig;

import java.lang.reflect.Constructor;
import org.jspecify.annotations.Nullable;

/** The class that Jazzer calls by name; passes its inputs to a {@link FuzzTarget}. */
public final class FuzzEntry {
  private static @Nullable FuzzTarget target;

  private FuzzEntry() {}

  /** Called first by Jazzer, with the name of the target's class. */
  public static void fuzzerInitialize(String[] args) throws ReflectiveOperationException {
    target = open(args[0]);
  }

  /** Called by Jazzer for every input. */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    if (target == null) {
      throw new IllegalStateException("no target");
    }
    target.run(input);
  }

  private static FuzzTarget open(String name) throws ReflectiveOperationException {
    Constructor<?> constructor = Class.forName(name).getDeclaredConstructor();
    constructor.setAccessible(true);
    return (FuzzTarget) constructor.newInstance();
  }
}
