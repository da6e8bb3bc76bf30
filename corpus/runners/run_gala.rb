# What gala makes of corpus files. Usage: run_gala.rb LIB FILE…, LIB gala's folder `lib`.

require "json"

library, *files = ARGV
$LOAD_PATH.unshift(library)
require "gala/payment_token"

def opened(token, corpus)
  payment = JSON.parse(Gala::PaymentToken.new(token).decrypt(corpus["merchantCertificate"], corpus["merchantPrivateKey"]))
  { opened: true, number: payment["applicationPrimaryAccountNumber"], amount: payment["transactionAmount"] }
rescue StandardError
  { opened: false }
end

files.each do |file|
  corpus = JSON.parse(File.read(file))
  Gala::PaymentToken.send(:remove_const, :APPLE_ROOT_CERT)
  Gala::PaymentToken.const_set(:APPLE_ROOT_CERT, corpus["rootCertificate"])
  corpus["tests"].each do |test|
    puts JSON.generate({ version: corpus["version"], tcId: test["tcId"], **opened(test["token"], corpus) })
  end
end
