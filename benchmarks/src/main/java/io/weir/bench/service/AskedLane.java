package io.weir.bench.service;

import io.weir.bench.program.Cores;
import io.weir.bench.race.Lane;
import io.weir.bench.service.load.Question;
import java.io.IOException;

/** One question to one server; several lanes may share a server. */
final class AskedLane implements Lane<Sample> {
  private static final int AFTER_PINNING_MILLIS = 1000;
  private static final int NATIVE_WARM_UP_MILLIS = 1000;

  private final String label;
  private final Service service;
  private final Question question;
  private final Asker asker;
  private final Cores cores;

  AskedLane(String label, Service service, Question question, Asker asker, Cores cores) {
    this.label = label;
    this.service = service;
    this.question = question;
    this.asker = asker;
    this.cores = cores;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public void warmUp(int millis) throws IOException {
    Asker.Answered answered =
        ask(service.isJvm() ? millis : Math.min(millis, NATIVE_WARM_UP_MILLIS));
    if (answered.good() == 0) {
      throw service.failure(new IOException("no good answer"));
    }
  }

  @Override
  public Sample measure(int millis) throws IOException, InterruptedException {
    if (service.pin(cores)) {
      ask(AFTER_PINNING_MILLIS);
    }
    Service.Use before = service.before();
    Asker.Answered answered = ask(millis);
    Service.Use use = service.after().since(before);
    double good = Math.max(1, answered.good());
    return new Sample(
        answered.good() / answered.seconds(),
        use.cpuMicros() / good,
        use.storeMicros() / good,
        use.bytes() / good,
        answered.bad());
  }

  private Asker.Answered ask(int millis) throws IOException {
    try {
      return asker.ask(service.port(), question, millis);
    } catch (IOException e) {
      throw service.failure(e);
    }
  }

  @Override
  public void close() throws IOException {
    service.close();
  }
}
