package kist;

import java.io.InputStream;
import java.io.OutputStream;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.KeyStoreSpi;
import java.security.MessageDigest;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.Enumeration;
import java.util.Map;
import java.util.TreeMap;

/**
 * The key store {@code Kist}: the keys that serve, that sign and that the caller may list, as they are when it is loaded, by label. A chain that is set stays in
 * this object; keys are made, imported and ended by operators.
 */
final class KistKeyStore extends KeyStoreSpi {
  private final Map<String, Entry> entries = new TreeMap<>();
  private Client client;

  /** A key, and its certificate with those of its issuers; null if it has none. */
  private record Entry(KeyDescription key, Certificate[] chain) {}

  @Override
  public void engineLoad(InputStream stream, char[] password) throws CertificateException {
    if (stream != null) throw new IllegalArgumentException("the key store Kist is in the daemon: load it from no stream");
    load(new Client());
  }

  @Override
  public void engineLoad(KeyStore.LoadStoreParameter parameter) throws CertificateException {
    if (parameter == null) load(new Client());
    else if (parameter instanceof KistProvider.Keys keys) load(keys.client());
    else throw new IllegalArgumentException("the key store Kist is loaded by KistProvider.Keys");
  }

  private void load(Client by) throws CertificateException {
    client = by;
    entries.clear();
    for (KeyDescription key : client.keys("", "")) {
      boolean signs = key.role() != null && (key.role().startsWith("signing-") || key.role().startsWith("merchant-identity-"));
      if (signs && "active".equals(key.state())) entries.put(key.label(), new Entry(key, certified(key)));
    }
  }

  /** A list has no certificates. */
  private Certificate[] certified(KeyDescription key) throws CertificateException {
    if (!key.role().startsWith("merchant-identity-")) return null;
    Certificate certificate = KistProvider.certificate(client, new KeyId(key.id()));
    return certificate == null ? null : new Certificate[] {certificate};
  }

  /** No password is asked for: the kernel tells the daemon who calls. */
  @Override
  public Key engineGetKey(String alias, char[] password) throws UnrecoverableKeyException {
    if (!entries.containsKey(alias)) return null;
    try {
      return KistProvider.privateKey(client, new KeyId(entries.get(alias).key.id()));
    } catch (GeneralSecurityException error) {
      throw new UnrecoverableKeyException(alias + ": " + error.getMessage());
    }
  }

  @Override
  public Certificate[] engineGetCertificateChain(String alias) {
    return entries.containsKey(alias) && entries.get(alias).chain != null ? entries.get(alias).chain.clone() : null;
  }

  @Override
  public Certificate engineGetCertificate(String alias) {
    Certificate[] chain = engineGetCertificateChain(alias);
    return chain == null ? null : chain[0];
  }

  @Override
  public Date engineGetCreationDate(String alias) {
    return entries.containsKey(alias) ? new Date(1000 * entries.get(alias).key.created()) : null;
  }

  @Override
  public void engineSetKeyEntry(String alias, Key key, char[] password, Certificate[] chain) throws KeyStoreException {
    Entry entry = entries.get(alias);
    if (entry == null || !(key instanceof KistPrivateKey own) || !own.id.equals(new KeyId(entry.key.id()))) {
      throw new KeyStoreException("a chain is set for a key of the daemon's, under its label; keys come by kist key import");
    }
    if (!isOf(chain[0], entry.key)) throw new KeyStoreException("the first certificate of the chain is not for " + alias);
    entries.put(alias, new Entry(entry.key, chain.clone()));
  }

  private static boolean isOf(Certificate certificate, KeyDescription key) throws KeyStoreException {
    try {
      return Arrays.equals(MessageDigest.getInstance("SHA-256").digest(certificate.getPublicKey().getEncoded()), key.checkValue());
    } catch (GeneralSecurityException error) {
      throw new KeyStoreException(error);
    }
  }

  @Override
  public void engineSetKeyEntry(String alias, byte[] key, Certificate[] chain) throws KeyStoreException {
    throw new KeyStoreException("keys come by kist key import");
  }

  @Override
  public void engineSetCertificateEntry(String alias, Certificate certificate) throws KeyStoreException {
    throw new KeyStoreException("the key store Kist has no certificates without a key");
  }

  @Override
  public void engineDeleteEntry(String alias) throws KeyStoreException {
    throw new KeyStoreException("keys end by kist key retire");
  }

  @Override
  public Enumeration<String> engineAliases() {
    return Collections.enumeration(entries.keySet());
  }

  @Override
  public boolean engineContainsAlias(String alias) {
    return entries.containsKey(alias);
  }

  @Override
  public int engineSize() {
    return entries.size();
  }

  @Override
  public boolean engineIsKeyEntry(String alias) {
    return entries.containsKey(alias);
  }

  @Override
  public boolean engineIsCertificateEntry(String alias) {
    return false;
  }

  @Override
  public String engineGetCertificateAlias(Certificate certificate) {
    return entries.keySet().stream().filter(alias -> certificate.equals(engineGetCertificate(alias))).findFirst().orElse(null);
  }

  @Override
  public void engineStore(OutputStream stream, char[] password) {
    throw new UnsupportedOperationException("the key store Kist is in the daemon, and is stored nowhere else");
  }
}
