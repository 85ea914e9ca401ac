package io.weir.redis;

import java.util.ArrayList;
import java.util.List;

/** A gate that is open, or shut by what a test says, and remembers what it is told. */
final class OpenGate implements Gate {
  final List<String> told = new ArrayList<>();
  Failure obstacle;

  @Override
  public Failure obstacle() {
    return obstacle;
  }

  @Override
  public void connected() {
    told.add("connected");
  }

  @Override
  public void disconnected(Failure failure) {
    told.add("disconnected " + failure);
  }

  @Override
  public void succeeded() {
    told.add("succeeded");
  }

  @Override
  public void failed(Failure failure) {
    told.add("failed " + failure);
  }
}
